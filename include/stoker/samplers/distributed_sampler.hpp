#pragma once

#include <stoker/samplers/rank_split.hpp>
#include <stoker/samplers/sampler.hpp>

#include <memory>

namespace stoker {

/// One rank's share of a sampler's order. Over a source of `size` samples it equals torch's
/// DistributedSampler to the index, for the same seed and epoch (the generator is seeded with their
/// sum): with Remainder::pad its default, with Remainder::drop its drop_last = True. It shuffles
/// the whole epoch before it splits it, so every rank meets every sample in the course of epochs.
///
/// Given to a loader as `sampler`, or left out for the loader's own options `rank`, `world_size`
/// and `remainder`, which do the same. Its Remainder is about samples and ranks; the loader's
/// `drop_last` is about a last batch that is not full, on each rank:
///
///   | 10 samples, 4 ranks, batch_size 2 | samples a rank | batches a rank | with drop_last |
///   | pad                               | 3, 3, 3, 3     | 2 (2 + 1)      | 1              |
///   | drop                              | 2, 2, 2, 2     | 1              | 1              |
///   | uneven                            | 3, 3, 2, 2     | 2, 2, 1, 1     | 1, 1, 1, 1     |
class DistributedSampler final : public Sampler {
 public:
  /// Splits the order of a RandomSampler, or of a SequentialSampler without `shuffle`.
  /// @throws Error(invalid_argument) where world_size is 0 or rank is not below it.
  DistributedSampler(std::uint64_t size, RankSplit split, bool shuffle = true);
  /// Splits any sampler's order. @throws as above, and where there is no sampler or it is one
  /// rank's share already.
  DistributedSampler(std::shared_ptr<const Sampler> global, RankSplit split);

  /// Number of this rank's indices in an epoch.
  std::uint64_t size() const override;
  /// Builds the order of the whole epoch and returns this rank's view of it.
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  /// What this rank gets of an epoch from `position` of the whole order on: how a run that was
  /// stopped there goes on, with any number of ranks.
  std::shared_ptr<const Order> order_from(std::uint64_t seed, std::uint64_t epoch,
                                          std::uint64_t position) const;
  std::string text() const override;
  const DistributedSampler* as_distributed() const noexcept override { return this; }

  const std::shared_ptr<const Sampler>& global() const noexcept { return global_; }
  const RankSplit& split() const noexcept { return split_; }

 private:
  std::shared_ptr<const Sampler> global_;
  RankSplit split_;
};

}  // namespace stoker
