#pragma once

#include <stoker/samplers/sampler.hpp>

#include <optional>

namespace stoker {

/// What torch's RandomSampler has beside its source.
struct RandomOptions {
  /// Draw each index among all samples, whether it came already or not.
  bool replacement = false;
  /// Number of indices in an epoch; as many as the source has where it is left out. Without
  /// replacement a larger number takes whole permutations, one behind the other.
  std::optional<std::uint64_t> num_samples = {};
};

/// Visits the samples shuffled: to the index the order of torch's RandomSampler over `size` samples
/// with a generator seeded with seed + epoch (modulo 2^64; the generator uses the low 32 bits).
/// Without options that is torch.randperm(size) on the CPU, and each sample comes once.
/// With replacement and 2^28 samples or more, the order is that of PyTorch 2.7 and later.
class RandomSampler final : public Sampler {
 public:
  explicit RandomSampler(std::uint64_t size) noexcept : size_(size), num_samples_(size) {}
  /// @throws Error(empty_source) where `size` is 0, Error(invalid_argument) where num_samples is.
  RandomSampler(std::uint64_t size, const RandomOptions& options);

  std::uint64_t size() const override { return num_samples_; }
  /// Builds the whole order: 4 bytes an index up to 2^32 samples, 8 beyond; while it does so, as
  /// much for a permutation of which only the beginning is wanted.
  /// @throws std::bad_alloc
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  std::string text() const override;

 private:
  template <class Index>
  std::shared_ptr<const Order> stored_order(std::uint64_t seed) const;

  std::uint64_t size_;
  std::uint64_t num_samples_;
  bool replacement_ = false;
};

}  // namespace stoker
