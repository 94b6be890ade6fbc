#pragma once

#include <stoker/samplers/sampler.hpp>

namespace stoker {

/// Visits every sample once, in the source's own order, the same in every epoch.
class SequentialSampler final : public Sampler {
 public:
  explicit SequentialSampler(std::uint64_t size) noexcept : size_(size) {}

  std::uint64_t size() const override { return size_; }
  /// Returns 0, 1, ..., size() - 1; takes no memory for it, and ignores seed and epoch.
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  std::string text() const override;

 private:
  std::uint64_t size_;
};

}  // namespace stoker
