#pragma once

#include <stoker/samplers/sampler.hpp>

namespace stoker {

/// Visits every sample once, shuffled: to the index the order of torch.randperm(size) on the CPU
/// with a generator seeded with seed + epoch (modulo 2^64; the generator uses the low 32 bits).
class RandomSampler final : public Sampler {
 public:
  explicit RandomSampler(std::uint64_t size) noexcept : size_(size) {}

  std::uint64_t size() const override { return size_; }
  /// Builds the whole permutation: 4 bytes an index up to 2^32 samples, 8 beyond.
  /// @throws std::bad_alloc
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  std::string text() const override;

 private:
  std::uint64_t size_;
};

}  // namespace stoker
