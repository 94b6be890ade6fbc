#pragma once

#include <stoker/samplers/batch_sampler.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stoker {

/// How a BucketBatchSampler makes batches.
struct BucketOptions {
  /// Samples of a batch in each bucket: one number for all buckets, or one for each, so that
  /// batches of long samples may have fewer.
  std::vector<std::size_t> batch_sizes = {};
  /// Leave out a bucket's last batch where it is not full.
  bool drop_last = false;
  /// Shuffle the samples within a bucket, and then the batches of all buckets among each other.
  bool shuffle = true;
};

/// Makes batches of samples of similar length, so that little of them is padding. Boundaries
/// b0 < b1 < ... make buckets of the lengths below b0, from b0 to below b1, ..., and from the last
/// one on; each batch is of one bucket. The number of batches is the same in every epoch. Keeps 4
/// bytes a sample (8 from 2^32 samples on); an order takes 8 bytes a batch.
class BucketBatchSampler final : public BatchSampler {
 public:
  /// `lengths` holds each sample's length: pixels, tokens, whatever is padded.
  /// @throws Error(empty_source) where there are no samples; Error(invalid_argument) where the
  /// boundaries do not rise, there are neither one batch size nor as many as buckets, or one is 0,
  /// a bucket has no sample, or drop_last leaves it no batch, so that its samples would never come.
  BucketBatchSampler(std::span<const std::uint64_t> lengths,
                     std::span<const std::uint64_t> boundaries, const BucketOptions& options);

  std::uint64_t size() const override;
  std::size_t max_batch_size() const override;
  std::shared_ptr<const BatchOrder> order(std::uint64_t seed, std::uint64_t epoch) const override;
  /// Holds a fingerprint of the lengths.
  std::string text() const override { return text_; }

 private:
  class Buckets;
  class BucketOrder;

  std::shared_ptr<const Buckets> buckets_;
  bool shuffle_;
  std::string text_;
};

}  // namespace stoker
