#pragma once

#include <stoker/samplers/sampler.hpp>

#include <span>
#include <string>

namespace stoker {

/// How a WeightedSampler draws.
class WeightedDraw;

/// Draws samples in proportion to their weights, which need not sum to 1; a sample of weight 0 is
/// never drawn. The same on every machine, but other samples than torch's WeightedRandomSampler
/// draws for a seed.
///
/// With replacement each draw is independent: an alias table of 8 bytes a weight is built once, and
/// any position of any epoch is computed from it; a probability is right to 2^-20 of 1 / size.
/// Without replacement each draw is among those left: an order takes 4 bytes a draw, and while it
/// is built 12 bytes a weight besides; the sampler keeps a copy of the weights. Copies share table
/// and weights.
class WeightedSampler final : public Sampler {
 public:
  /// @throws Error(empty_source) where there is no weight; Error(invalid_argument) where a weight
  /// is negative, infinite or not a number, none is positive, their sum is infinite, there are 2^32
  /// or more, num_samples is 0, or, without replacement, it is larger than the number of positive
  /// weights or these are more than 2^900 apart.
  WeightedSampler(std::span<const double> weights, std::uint64_t num_samples,
                  bool replacement = true);
  /// The same for weights of which there are many.
  WeightedSampler(std::span<const float> weights, std::uint64_t num_samples,
                  bool replacement = true);

  std::uint64_t size() const override { return num_samples_; }
  /// @throws std::bad_alloc
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  /// Holds a fingerprint of the weights.
  std::string text() const override;

 private:
  std::uint64_t num_samples_;
  std::shared_ptr<const WeightedDraw> draw_;
  std::string text_;
};

}  // namespace stoker
