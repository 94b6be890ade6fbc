#pragma once

#include <stoker/samplers/sampler.hpp>

namespace stoker {

/// Visits every sample once, shuffled, for sources too large to keep an order of: an epoch's order
/// takes a few hundred bytes at any size, and any position of it is computed from seed and epoch in
/// well under a microsecond. Not torch's order: that cannot be computed but from its beginning.
class LargePermutation final : public Sampler {
 public:
  /// `size` may be up to 2^62. @throws Error(empty_source) where it is 0, Error(invalid_argument)
  /// where it is larger.
  explicit LargePermutation(std::uint64_t size);

  std::uint64_t size() const override { return size_; }
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  std::string text() const override;

 private:
  std::uint64_t size_;
};

}  // namespace stoker
