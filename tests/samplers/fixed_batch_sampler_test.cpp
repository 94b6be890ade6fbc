#include <stoker/samplers/fixed_batch_sampler.hpp>

#include "tests/samplers/orders.hpp"
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Indices> batches(const BatchSampler& sampler, std::uint64_t seed = 0,
                             std::uint64_t epoch = 0) {
  const auto order = sampler.order(seed, epoch);
  EXPECT_EQ(order->size(), sampler.size());
  EXPECT_EQ(order->first(0), 0U);
  std::vector<Indices> result;
  for (std::uint64_t batch = 0; batch < order->size(); ++batch) {
    result.emplace_back(order->first(batch + 1) - order->first(batch));
    EXPECT_LE(result.back().size(), sampler.max_batch_size());
    order->read(batch, result.back());
  }
  return result;
}

TEST(FixedBatchSampler, CutsAnOrderIntoBatches) {
  const auto seven = std::make_shared<const SequentialSampler>(7);
  EXPECT_THAT(batches(FixedBatchSampler(seven, 3)),
              ElementsAre(Indices{0, 1, 2}, Indices{3, 4, 5}, Indices{6}));
  EXPECT_THAT(batches(FixedBatchSampler(seven, 3, true)),
              ElementsAre(Indices{0, 1, 2}, Indices{3, 4, 5}));
  EXPECT_THAT(batches(FixedBatchSampler(seven, 7, true)), ElementsAre(counted(7)));
  EXPECT_THAT(batches(FixedBatchSampler(seven, 100)), ElementsAre(counted(7)));
}

TEST(FixedBatchSampler, HandsSeedAndEpochOnToItsSampler) {
  const auto random = std::make_shared<const RandomSampler>(20);
  Indices all;
  for (const Indices& batch : batches(FixedBatchSampler(random, 3), 4, 5)) {
    all.insert(all.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(all, whole(*random->order(4, 5)));
}

TEST(FixedBatchSampler, SaysWhatItIs) {
  EXPECT_EQ(FixedBatchSampler(std::make_shared<const SequentialSampler>(7), 3, true).text(),
            "batches(sequential(size=7), batch_size=3, drop_last=true)");
}

TEST(FixedBatchSampler, RefusesWhatMakesNoBatches) {
  const auto code = ErrorCode::invalid_argument;
  const auto seven = std::make_shared<const SequentialSampler>(7);
  EXPECT_THAT(refusal(code, [] { FixedBatchSampler(nullptr, 3); }), HasSubstr("no sampler"));
  EXPECT_THAT(refusal(code, [&] { FixedBatchSampler(seven, 0); }), HasSubstr("batch_size"));
  EXPECT_THAT(refusal(code, [&] { FixedBatchSampler(seven, 8, true); }),
              HasSubstr("drop_last leaves no batch"));
  EXPECT_THAT(refusal(ErrorCode::empty_source,
                      [] { FixedBatchSampler(std::make_shared<const SequentialSampler>(0), 3); }),
              HasSubstr("no samples"));
  const auto share = std::make_shared<const DistributedSampler>(7, RankSplit{0, 2});
  EXPECT_THAT(refusal(code, [&] { FixedBatchSampler(share, 3); }), HasSubstr("one rank's share"));
}

}  // namespace
}  // namespace stoker
