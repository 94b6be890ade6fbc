#include <stoker/samplers/bucket_batch_sampler.hpp>

#include "samplers/keyed_permutation.hpp"
#include "src/core/fingerprint.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace stoker {
namespace {

using Numbers = std::span<const std::uint64_t>;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

struct Bucket {
  std::uint64_t first = 0;  // of its samples among those of all buckets
  std::uint64_t samples = 0;
  std::uint64_t first_batch = 0;  // of its batches among those of all buckets
  std::uint64_t batches = 0;
  std::size_t batch_size = 0;

  /// Samples of one of its batches.
  std::size_t length(std::uint64_t batch) const noexcept {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(batch_size, samples - batch * batch_size));
  }
};

std::size_t bucket_of(std::uint64_t length, Numbers boundaries) noexcept {
  return static_cast<std::size_t>(std::ranges::upper_bound(boundaries, length) -
                                  boundaries.begin());
}

/// Says which bucket is meant, e.g. "bucket 1 (lengths from 10 to 19)".
std::string description(std::size_t bucket, Numbers boundaries) {
  if (boundaries.empty()) return fmt::format("bucket {} (all lengths)", bucket);
  if (bucket == 0) return fmt::format("bucket 0 (lengths below {})", boundaries.front());
  if (bucket == boundaries.size()) {
    return fmt::format("bucket {} (lengths from {} on)", bucket, boundaries.back());
  }
  return fmt::format("bucket {} (lengths from {} to {})", bucket, boundaries[bucket - 1],
                     boundaries[bucket] - 1);
}

void check_options(Numbers lengths, Numbers boundaries, const BucketOptions& options) {
  if (lengths.empty()) throw Error(ErrorCode::empty_source, "there are no lengths");
  for (std::size_t i = 1; i < boundaries.size(); ++i) {
    if (boundaries[i] > boundaries[i - 1]) continue;
    refuse(fmt::format("boundaries must rise, but {} comes behind {}", boundaries[i],
                       boundaries[i - 1]));
  }
  const std::size_t buckets = boundaries.size() + 1;
  const std::size_t sizes = options.batch_sizes.size();
  if (sizes != 1 && sizes != buckets) {
    refuse(fmt::format("there are {} batch sizes for {} buckets; give one for all, or one for each",
                       sizes, buckets));
  }
  if (std::ranges::find(options.batch_sizes, 0U) != options.batch_sizes.end()) {
    refuse("batch sizes must be at least 1");
  }
}

/// Divides the samples among buckets; their first_batch is still to be set.
std::vector<Bucket> counted(Numbers lengths, Numbers boundaries, const BucketOptions& options) {
  std::vector<Bucket> buckets(boundaries.size() + 1);
  for (const std::uint64_t length : lengths) ++buckets[bucket_of(length, boundaries)].samples;
  const std::vector<std::size_t>& sizes = options.batch_sizes;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    buckets[i].batch_size = sizes.size() == 1 ? sizes.front() : sizes[i];
    const std::uint64_t full = buckets[i].samples / buckets[i].batch_size;
    const bool rest = buckets[i].samples % buckets[i].batch_size > 0;
    buckets[i].batches = full + (rest && !options.drop_last ? 1 : 0);
  }
  return buckets;
}

void check_buckets(const std::vector<Bucket>& buckets, Numbers boundaries) {
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i].samples == 0) refuse(description(i, boundaries) + " has no samples");
    if (buckets[i].batches > 0) continue;
    refuse(
        fmt::format("{} has {} samples, fewer than its batch size of {}: drop_last would leave "
                    "them out of every epoch",
                    description(i, boundaries), buckets[i].samples, buckets[i].batch_size));
  }
}

std::vector<Bucket> placed(std::vector<Bucket> buckets) {
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    buckets[i].first = buckets[i - 1].first + buckets[i - 1].samples;
    buckets[i].first_batch = buckets[i - 1].first_batch + buckets[i - 1].batches;
  }
  return buckets;
}

/// The samples' indices, bucket behind bucket.
template <class Index>
std::vector<Index> grouped(Numbers lengths, Numbers boundaries,
                           const std::vector<Bucket>& buckets) {
  std::vector<std::uint64_t> next;
  for (const Bucket& bucket : buckets) next.push_back(bucket.first);
  std::vector<Index> indices(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    indices[next[bucket_of(lengths[i], boundaries)]++] = static_cast<Index>(i);
  }
  return indices;
}

}  // namespace

/// What all epochs share: the samples by bucket.
class BucketBatchSampler::Buckets {
 public:
  Buckets(Numbers lengths, Numbers boundaries, const BucketOptions& options)
      : buckets_(counted(lengths, boundaries, options)) {
    check_buckets(buckets_, boundaries);
    buckets_ = placed(std::move(buckets_));
    if (lengths.size() <= std::numeric_limits<std::uint32_t>::max()) {
      narrow_ = grouped<std::uint32_t>(lengths, boundaries, buckets_);
    } else {
      wide_ = grouped<std::uint64_t>(lengths, boundaries, buckets_);
    }
  }

  const std::vector<Bucket>& all() const noexcept { return buckets_; }
  std::uint64_t batches() const noexcept {
    return buckets_.back().first_batch + buckets_.back().batches;
  }
  /// Returns the number of the bucket that a batch is of.
  std::size_t of_batch(std::uint64_t batch) const noexcept {
    const auto next = std::ranges::upper_bound(buckets_, batch, {}, &Bucket::first_batch);
    return static_cast<std::size_t>(next - buckets_.begin()) - 1;
  }
  std::uint64_t sample(std::uint64_t place) const noexcept {
    return narrow_.empty() ? wide_[place] : narrow_[place];
  }

 private:
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> narrow_;
  std::vector<std::uint64_t> wide_;
};

/// An epoch's batches: a permutation of the batches, and one of each bucket's samples.
class BucketBatchSampler::BucketOrder final : public BatchOrder {
 public:
  BucketOrder(std::shared_ptr<const Buckets> buckets, bool shuffle, std::uint64_t seed,
              std::uint64_t epoch)
      : buckets_(std::move(buckets)), shuffle_(shuffle), firsts_{0} {
    std::uint64_t stream = 0;
    permutations_.emplace_back(buckets_->batches(), seed, epoch, stream);
    for (const Bucket& bucket : buckets_->all()) {
      permutations_.emplace_back(bucket.samples, seed, epoch, ++stream);
    }
    firsts_.reserve(buckets_->batches() + 1);
    for (std::uint64_t batch = 0; batch < buckets_->batches(); ++batch) {
      const std::uint64_t number = number_of(batch);
      const Bucket& bucket = buckets_->all()[buckets_->of_batch(number)];
      firsts_.push_back(firsts_.back() + bucket.length(number - bucket.first_batch));
    }
  }

  std::uint64_t size() const override { return firsts_.size() - 1; }
  std::uint64_t first(std::uint64_t batch) const override { return firsts_[batch]; }
  void read(std::uint64_t batch, std::span<std::uint64_t> out) const override {
    const std::uint64_t number = number_of(batch);
    const std::size_t i = buckets_->of_batch(number);
    const Bucket& bucket = buckets_->all()[i];
    const std::uint64_t start = (number - bucket.first_batch) * bucket.batch_size;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::uint64_t place = shuffle_ ? permutations_[i + 1](start + k) : start + k;
      out[k] = buckets_->sample(bucket.first + place);
    }
  }

 private:
  /// Which of all buckets' batches comes at a place of the epoch.
  std::uint64_t number_of(std::uint64_t batch) const noexcept {
    return shuffle_ ? permutations_.front()(batch) : batch;
  }

  std::shared_ptr<const Buckets> buckets_;
  bool shuffle_;
  std::vector<KeyedPermutation> permutations_;  // of the batches, then of each bucket's samples
  std::vector<std::uint64_t> firsts_;           // samples before each batch, and in all
};

BucketBatchSampler::BucketBatchSampler(Numbers lengths, Numbers boundaries,
                                       const BucketOptions& options)
    : shuffle_(options.shuffle) {
  check_options(lengths, boundaries, options);
  buckets_ = std::make_shared<const Buckets>(lengths, boundaries, options);
  text_ = fmt::format(
      "buckets(size={}, lengths={}, boundaries=[{}], batch_sizes=[{}], "
      "drop_last={}, shuffle={})",
      lengths.size(), fingerprint_of(lengths), fmt::join(boundaries, ", "),
      fmt::join(options.batch_sizes, ", "), options.drop_last, options.shuffle);
}

std::uint64_t BucketBatchSampler::size() const { return buckets_->batches(); }

std::size_t BucketBatchSampler::max_batch_size() const {
  std::size_t most = 0;
  for (const Bucket& bucket : buckets_->all()) most = std::max(most, bucket.length(0));
  return most;
}

std::shared_ptr<const BatchOrder> BucketBatchSampler::order(std::uint64_t seed,
                                                            std::uint64_t epoch) const {
  return std::make_shared<const BucketOrder>(buckets_, shuffle_, seed, epoch);
}

}  // namespace stoker
