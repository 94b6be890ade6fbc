#pragma once

#include <stoker/engine/stats.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/detail/batch_stream.hpp>

#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace stoker::torch {

/// What make_data_loader returns: batches of a torch::data dataset, as torch::data's own loaders
/// give them. `begin` starts an epoch, also where the last one was left early; the loop may be left
/// by `break`. Workers live as long as the loader. Used by one thread at a time.
///
/// Tensors of batches that are stacks of samples lie in the loader's slots and own them, see
/// stoker::torch::Batch; they may be kept, and outlive the loader. What a sample throws is thrown
/// as stoker::Error at its batch's place, with the sample's index; `++` of the same iterator then
/// goes on behind that batch, and `begin` starts the next epoch.
template <class BatchType_>
class DataLoader {
 public:
  using BatchType = BatchType_;

  /// An input iterator: a batch is there until the next is asked for, unless it is moved out.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = BatchType;
    using difference_type = std::ptrdiff_t;
    using pointer = BatchType*;
    using reference = BatchType&;

    Iterator() = default;
    explicit Iterator(DataLoader* loader) : loader_(loader) { ++*this; }
    BatchType& operator*() const { return *loader_->current_; }
    BatchType* operator->() const { return &*loader_->current_; }
    Iterator& operator++() {
      loader_->current_.reset();  // its slot may be needed
      loader_->current_ = loader_->stream_->next();
      if (!loader_->current_) loader_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.loader_ == b.loader_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

   private:
    DataLoader* loader_ = nullptr;
  };

  DataLoader(std::unique_ptr<detail::BatchStream<BatchType>> stream, DataLoaderOptions options)
      : stream_(std::move(stream)), options_(std::move(options)) {}

  /// Begins the next epoch. The first one reads a sample, to learn what samples are like.
  Iterator begin() {
    current_.reset();
    stream_->start();
    return Iterator(this);
  }
  Iterator end() { return {}; }

  const DataLoaderOptions& options() const noexcept { return options_; }
  /// Counters since the first epoch began.
  Stats stats() const { return stream_->stats(); }

  /// Writes where the run stands, behind the batches that were delivered; with a sampler of
  /// LibTorch's also what is left of its epoch, and its own state.
  /// @throws Error(unsupported) for a dataset without indices, which cannot go on from a place.
  void save(::torch::serialize::OutputArchive& archive) const { stream_->save(archive); }
  /// Goes on there with the next `begin`. @throws Error(unsupported) as above, Error(bad_state)
  void load(::torch::serialize::InputArchive& archive) {
    current_.reset();
    stream_->load(archive);
  }

 private:
  std::unique_ptr<detail::BatchStream<BatchType>> stream_;
  DataLoaderOptions options_;
  std::optional<BatchType> current_;
};

/// torch::save and torch::load of a loader's place, alone or beside a model in one archive.
template <class BatchType>
::torch::serialize::OutputArchive& operator<<(::torch::serialize::OutputArchive& archive,
                                              const DataLoader<BatchType>& loader) {
  loader.save(archive);
  return archive;
}
template <class BatchType>
::torch::serialize::InputArchive& operator>>(::torch::serialize::InputArchive& archive,
                                             DataLoader<BatchType>& loader) {
  loader.load(archive);
  return archive;
}

}  // namespace stoker::torch
