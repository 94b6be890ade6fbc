#pragma once

#include <stoker/samplers/sampler.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace stoker {

/// An order kept as an array, in the narrowest type that holds its indices. Filled once through
/// `indices`, before it is shared.
template <class Index>
class StoredOrder final : public Order {
 public:
  /// @throws std::bad_alloc
  explicit StoredOrder(std::size_t size)
      : size_(size), indices_(std::make_unique_for_overwrite<Index[]>(size)) {}

  std::span<Index> indices() noexcept { return {indices_.get(), size_}; }

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    const Index* next = indices_.get() + first;
    for (std::uint64_t& index : out) index = *std::exchange(next, next + stride);
  }

 private:
  std::size_t size_;
  std::unique_ptr<Index[]> indices_;
};

}  // namespace stoker
