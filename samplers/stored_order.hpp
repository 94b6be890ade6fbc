#pragma once

#include <stoker/samplers/sampler.hpp>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace stoker {

/// Returns memory for indices, which std::free gives back; much of it lies in huge pages, since
/// a shuffle jumps about in it. @throws std::bad_alloc
void* allocate_indices(std::size_t bytes);

/// An order kept as an array, in the narrowest type that holds its indices. Filled once through
/// `indices`, before it is shared.
template <class Index>
class StoredOrder final : public Order {
 public:
  /// @throws std::bad_alloc
  explicit StoredOrder(std::uint64_t size)
      : size_(size), indices_(static_cast<Index*>(allocate_indices(bytes_of(size)))) {}

  std::span<Index> indices() noexcept { return {indices_.get(), size_}; }

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = indices_.get()[first + i * stride];
  }

 private:
  struct Free {
    void operator()(Index* indices) const noexcept { std::free(indices); }
  };

  static std::size_t bytes_of(std::uint64_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(Index)) throw std::bad_alloc();
    return size * sizeof(Index);
  }

  std::size_t size_;
  std::unique_ptr<Index, Free> indices_;
};

}  // namespace stoker
