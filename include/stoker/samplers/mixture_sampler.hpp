#pragma once

#include <stoker/samplers/sampler.hpp>

#include <memory>
#include <string>
#include <vector>

namespace stoker {

/// The weights of a mixture's sources from an epoch on; they need not sum to 1.
struct MixtureWeights {
  std::uint64_t from_epoch = 0;
  std::vector<double> weights;
};

/// Mixes several sources in given proportions, which may change with the epoch. Indices are those
/// of the sources one behind the other, as in a ConcatSource.
///
/// Proportions are exact and not a matter of chance: among the first 256, 512, 768, ... samples of
/// an epoch each source has its share to within 2 samples; within these blocks the order is
/// shuffled. A source is visited without repetition until it is exhausted, then again in another
/// order; in each epoch it begins anew, in another order. A source with weight 0 is left out in
/// that epoch.
///
/// An order takes memory for its sources alone, and any position of it is computed.
class MixtureSampler final : public Sampler {
 public:
  static constexpr std::uint64_t block_size = 256;

  /// `sizes` are the sources' numbers of samples; `schedule` begins at epoch 0, and its epochs
  /// rise; an epoch has `num_samples` indices.
  /// @throws Error(empty_source) where there is no source or one without samples;
  /// Error(invalid_argument) where the schedule does not begin at epoch 0 or its epochs do not
  /// rise, where weights are not as many as sources, negative, infinite, not a number or all zero,
  /// where num_samples is 0 or beyond 2^62, or the sizes' sum is.
  MixtureSampler(std::vector<std::uint64_t> sizes, std::vector<MixtureWeights> schedule,
                 std::uint64_t num_samples);
  /// The same weights in every epoch.
  MixtureSampler(std::vector<std::uint64_t> sizes, std::vector<double> weights,
                 std::uint64_t num_samples);

  std::uint64_t size() const override { return num_samples_; }
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  /// Holds sizes, the whole schedule and num_samples.
  std::string text() const override;

 private:
  std::vector<std::uint64_t> sizes_;
  std::vector<MixtureWeights> schedule_;
  std::uint64_t num_samples_;
};

}  // namespace stoker
