#include <stoker/samplers/bucket_batch_sampler.hpp>

#include "tests/samplers/chi_square.hpp"
#include "tests/samplers/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

const Indices boundaries{10, 20};

/// 100 samples with lengths from 0 to 29, 34 + 33 + 33 of them in the three buckets.
Indices lengths() {
  Indices result(100);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = i % 3 * 10 + i % 10;
  return result;
}

std::vector<Indices> batches(const BatchSampler& sampler, std::uint64_t seed = 1,
                             std::uint64_t epoch = 0) {
  const auto order = sampler.order(seed, epoch);
  EXPECT_EQ(order->size(), sampler.size());
  EXPECT_EQ(order->first(0), 0U);
  std::vector<Indices> result;
  for (std::uint64_t batch = 0; batch < order->size(); ++batch) {
    result.emplace_back(order->first(batch + 1) - order->first(batch));
    order->read(batch, result.back());
  }
  return result;
}

Indices joined(const std::vector<Indices>& batches) {
  Indices all;
  for (const Indices& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST(BucketBatchSampler, MakesBatchesOfOneBucketEach) {
  const Indices length = lengths();
  for (const bool shuffle : {false, true}) {
    const BucketBatchSampler sampler(length, boundaries, {.batch_sizes = {8}, .shuffle = shuffle});
    EXPECT_EQ(sampler.size(), 15U);
    EXPECT_EQ(sampler.max_batch_size(), 8U);
    const auto all = batches(sampler);
    for (const Indices& batch : all) {
      for (const auto index : batch) EXPECT_EQ(length[index] / 10, length[batch[0]] / 10);
    }
    EXPECT_EQ(sorted(joined(all)), counted(100));
  }
}

TEST(BucketBatchSampler, KeepsTheSourcesOrderWithinEachBucketWhereItIsNotToShuffle) {
  const Indices length{5, 25, 15, 5, 25, 10, 9, 20};
  EXPECT_THAT(
      batches(BucketBatchSampler(length, boundaries, {.batch_sizes = {2}, .shuffle = false})),
      ElementsAre(Indices{0, 3}, Indices{6}, Indices{2, 5}, Indices{1, 4}, Indices{7}));
}

TEST(BucketBatchSampler, LeavesOutShortBatchesWithDropLast) {
  const BucketBatchSampler sampler(lengths(), boundaries, {.batch_sizes = {8}, .drop_last = true});
  EXPECT_EQ(sampler.size(), 12U);
  Indices seen;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    const auto all = batches(sampler, 1, epoch);
    for (const Indices& batch : all) EXPECT_EQ(batch.size(), 8U);
    const Indices indices = sorted(joined(all));
    EXPECT_EQ(std::ranges::adjacent_find(indices), indices.end());
    seen.insert(seen.end(), indices.begin(), indices.end());
  }
  std::ranges::sort(seen);
  const auto repeats = std::ranges::unique(seen);
  EXPECT_EQ(repeats.begin() - seen.begin(), 100);  // other samples are left out in each epoch
}

TEST(BucketBatchSampler, TakesABatchSizeForEachBucket) {
  const Indices length = lengths();
  const BucketBatchSampler sampler(length, boundaries, {.batch_sizes = {16, 8, 4}});
  EXPECT_EQ(sampler.max_batch_size(), 16U);
  EXPECT_EQ(sampler.size(), 3U + 5U + 9U);
  for (const Indices& batch : batches(sampler)) {
    EXPECT_LE(batch.size(), 16U >> (length[batch[0]] / 10));
  }
}

TEST(BucketBatchSampler, ShufflesSamplesAndBatchesOtherwiseInEveryEpoch) {
  const BucketBatchSampler sampler(lengths(), boundaries, {.batch_sizes = {8}});
  EXPECT_NE(batches(sampler, 1, 0), batches(sampler, 1, 1));
  EXPECT_NE(batches(sampler, 1, 0), batches(sampler, 2, 0));
  EXPECT_EQ(batches(sampler, 1, 0), batches(sampler, 1, 0));
}

// The first batch is of one of 15, the first sample one of 100: 99 degrees.
TEST(BucketBatchSampler, BeginsWithAnySampleInProportionToItsBucketsBatches) {
  const Indices length = lengths();
  const BucketBatchSampler sampler(length, boundaries, {.batch_sizes = {8}});
  Counts counts(100);
  Counts expected(100);
  for (std::uint64_t epoch = 0; epoch < 20'000; ++epoch) {
    ++counts[batches(sampler, 1, epoch).front().front()];
  }
  for (std::size_t i = 0; i < 100; ++i) expected[i] = 20'000.0 / 3 / (length[i] < 10 ? 34 : 33);
  expect_chance(counts, expected, 99);
}

TEST(BucketBatchSampler, WithoutBoundariesHasOneBucket) {
  EXPECT_EQ(sorted(joined(batches(BucketBatchSampler(lengths(), {}, {.batch_sizes = {7}})))),
            counted(100));
}

TEST(BucketBatchSampler, NeverChangesItsBatches) {
  EXPECT_EQ(sha256(joined(
                batches(BucketBatchSampler(lengths(), boundaries, {.batch_sizes = {8}}), 42, 3))),
            "62173bfaebbb710988c31933a9b572063b361a960727cd2817c4359c4b503715");
}

TEST(BucketBatchSampler, SaysWhatItIs) {
  const BucketBatchSampler sampler(lengths(), boundaries, {.batch_sizes = {16, 8, 4}});
  EXPECT_THAT(sampler.text(),
              MatchesRegex("buckets\\(size=100, lengths=[0-9a-f]{32}, boundaries=\\[10, 20\\], "
                           "batch_sizes=\\[16, 8, 4\\], drop_last=false, shuffle=true\\)"));
}

TEST(BucketBatchSampler, RefusesBoundariesAndSizesThatDoNotFit) {
  const auto refused = [](const Indices& bounds, const BucketOptions& options) {
    return refusal(ErrorCode::invalid_argument,
                   [&] { BucketBatchSampler(lengths(), bounds, options); });
  };
  EXPECT_THAT(refused({20, 10}, {.batch_sizes = {8}}), HasSubstr("10 comes behind 20"));
  EXPECT_THAT(refused({10, 10}, {.batch_sizes = {8}}), HasSubstr("boundaries must rise"));
  EXPECT_THAT(refused({10, 20}, {.batch_sizes = {8, 8}}), HasSubstr("2 batch sizes for 3 buckets"));
  EXPECT_THAT(refused({10, 20}, {}), HasSubstr("0 batch sizes for 3 buckets"));
  EXPECT_THAT(refused({10, 20}, {.batch_sizes = {8, 0, 8}}), HasSubstr("at least 1"));
  EXPECT_THAT(refusal(ErrorCode::empty_source,
                      [] { BucketBatchSampler({}, boundaries, {.batch_sizes = {8}}); }),
              HasSubstr("no lengths"));
}

TEST(BucketBatchSampler, RefusesABucketWithoutSamplesOrWithoutBatches) {
  const auto refused = [](const Indices& bounds, const BucketOptions& options) {
    return refusal(ErrorCode::invalid_argument,
                   [&] { BucketBatchSampler(lengths(), bounds, options); });
  };
  EXPECT_THAT(refused({0}, {.batch_sizes = {8}}), HasSubstr("bucket 0 (lengths below 0)"));
  EXPECT_THAT(refused({10, 100}, {.batch_sizes = {8}}),
              HasSubstr("bucket 2 (lengths from 100 on) has no samples"));
  EXPECT_THAT(refused({10, 20}, {.batch_sizes = {8, 34, 8}, .drop_last = true}),
              HasSubstr("bucket 1 (lengths from 10 to 19) has 33 samples, fewer than"));
}

}  // namespace
}  // namespace stoker
