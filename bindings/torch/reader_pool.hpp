#pragma once

#include <stoker/torch/sample_source.hpp>

#include <ATen/core/Tensor.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace stoker::torch {

/// Copies of a data set, each lent to one thread at a time. A thread gets the copy it had before
/// where that is free, without a lock: copies and their tensors' reference counts stay in its
/// cache.
class ReaderPool {
  struct Reader {
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    Reader(SampleSource::Read function, std::size_t fields)
        : read(std::move(function)), tensors(fields) {}

    SampleSource::Read read;
    std::vector<at::Tensor> tensors;
    std::atomic<std::uint64_t> index{none};  ///< of the sample that is being read
  };

 public:
  /// A copy while it is lent.
  class Loan {
   public:
    Loan(ReaderPool& pool, Reader* reader) noexcept : pool_(pool), reader_(reader) {}
    ~Loan() { pool_.give_back(reader_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    /// Reads a sample's tensors, which are there as long as this loan.
    std::span<at::Tensor> read(std::uint64_t index) const {
      reader_->index.store(index, std::memory_order_relaxed);
      reader_->read(static_cast<std::size_t>(index), reader_->tensors);
      return reader_->tensors;
    }

   private:
    ReaderPool& pool_;
    Reader* reader_;
  };

  /// `source` must outlive the pool.
  explicit ReaderPool(const SampleSource& source) : source_(source) {}

  /// Lends a copy, a new one where none is free; copies are made one at a time.
  Loan borrow();
  /// The indices of the samples that are being read.
  std::vector<std::uint64_t> being_read();

 private:
  static constexpr std::size_t places = 64;  // more copies than that are kept in a list
  struct alignas(64) Place {
    std::atomic<Reader*> reader{nullptr};
  };

  Reader* take_free() noexcept;
  Reader* take_from_list();
  Reader* take_or_make();
  void give_back(Reader* reader) noexcept;

  const SampleSource& source_;
  std::array<Place, places> free_;
  std::mutex copying_;  ///< taken before the other
  std::mutex mutex_;
  std::vector<Reader*> more_free_;                ///< what found no place
  std::vector<std::unique_ptr<Reader>> readers_;  ///< all there are
};

}  // namespace stoker::torch
