#pragma once

#include <stoker/samplers/sampler.hpp>

#include <span>
#include <string>
#include <vector>

namespace stoker {

/// Visits every sample once, shuffled so that storage in shards is read nearly in sequence: puts
/// the shards in a row in shuffled order, and permutes the samples within windows of the row, one
/// window behind the other. Only the shards of a window need be open. An order takes 12 bytes a
/// shard, and any position of it is computed from seed and epoch.
///
/// How random that is, measured by bench/shuffle_quality on 1,024 shards of 1,000 samples, over
/// batches of 256: the mean share of a batch's pairs that come from the same shard, over that of a
/// full shuffle (0.00098; 1 is as good), and how far a sample is moved on average within the row of
/// shards, over a full shuffle's third of the source.
///
///   | window        | pairs of one shard | moved  |
///   | 1 sample      | 934                | 0      |
///   | 1 shard       | 934                | 0.0010 |
///   | 4 shards      | 250                | 0.0039 |
///   | 16 shards     | 64                 | 0.016  |
///   | 64 shards     | 16                 | 0.063  |
///   | 256 shards    | 4.0                | 0.25   |
///   | all           | 1                  | 1      |
///
/// A window of w shards makes the share about 1 / w: take as many samples as memory or storage
/// allow, at least some tens of shards.
class BlockShuffle final : public Sampler {
 public:
  /// Shards of `shard_size` samples, the last one maybe of fewer. A window of `size` or more is a
  /// full shuffle.
  /// @throws Error(empty_source) where there is no sample, Error(invalid_argument) where
  /// `shard_size` or `window` is 0 or `size` beyond 2^62.
  BlockShuffle(std::uint64_t size, std::uint64_t shard_size, std::uint64_t window);
  /// Shards of any sizes, one behind the other. @throws as above, and where a shard is empty.
  BlockShuffle(std::span<const std::uint64_t> shard_sizes, std::uint64_t window);

  std::uint64_t size() const override { return starts_->back(); }
  /// @throws std::bad_alloc
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  /// Holds a fingerprint of the shards' sizes where they are not equal.
  std::string text() const override;

 private:
  BlockShuffle(std::vector<std::uint64_t> starts, std::uint64_t window, const std::string& shards);

  std::shared_ptr<const std::vector<std::uint64_t>> starts_;  // of each shard, and the end
  std::uint64_t window_;
  std::string text_;
};

}  // namespace stoker
