#include <stoker/samplers/distributed_sampler.hpp>

#include "tests/samplers/orders.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace stoker {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Lt;

Indices share(std::uint64_t size, RankSplit split, std::uint64_t seed, std::uint64_t epoch,
              bool shuffle = true) {
  const DistributedSampler sampler(size, split, shuffle);
  const auto order = sampler.order(seed, epoch);
  EXPECT_EQ(order->size(), sampler.size());
  return whole(*order);
}

RankSplit split_of(const nlohmann::json& golden, std::uint64_t rank) {
  return {rank, golden.at("world_size").get<std::uint64_t>(),
          golden.at("drop_last").get<bool>() ? Remainder::drop : Remainder::pad};
}

Indices share_of(const nlohmann::json& golden, std::uint64_t rank) {
  return share(golden.at("n").get<std::uint64_t>(), split_of(golden, rank),
               golden.at("seed").get<std::uint64_t>(), golden.at("epoch").get<std::uint64_t>(),
               golden.at("shuffle").get<bool>());
}

TEST(DistributedSampler, GivesTheIndicesOfTorchsDistributedSampler) {
  ASSERT_GE(goldens().at("distributed").size(), 60U);
  for (const auto& golden : goldens().at("distributed")) {
    const auto ranks = golden.at("ranks").get<std::vector<Indices>>();
    for (std::uint64_t rank = 0; rank < ranks.size(); ++rank) {
      EXPECT_EQ(share_of(golden, rank), ranks[rank]) << "rank " << rank << " of " << golden;
    }
  }
}

TEST(DistributedSampler, GivesTheDigestsOfTorchsDistributedSamplerForLargeSizes) {
  ASSERT_GE(goldens().at("distributed_sha256_int64le").size(), 8U);
  for (const auto& golden : goldens().at("distributed_sha256_int64le")) {
    const Indices indices = share_of(golden, golden.at("rank").get<std::uint64_t>());
    EXPECT_EQ(indices.size(), golden.at("len").get<std::size_t>()) << golden;
    EXPECT_EQ(sha256(indices), golden.at("sha256").get<std::string>()) << golden;
  }
}

// LibTorch's DistributedRandomSampler and DistributedSequentialSampler have the faults that the
// next tests are named after.

TEST(DistributedSampler, HasNotTheFaultOfContiguousBlocks) {
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    const Indices indices = share(1000, {rank, 4}, 0, 0, false);
    for (std::uint64_t i = 0; i < indices.size(); ++i) EXPECT_EQ(indices[i], rank + 4 * i);
  }
}

TEST(DistributedSampler, HasNotTheFaultOfTailSamplesThatNoEpochEverVisits) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    for (std::uint64_t rank = 0; rank < 8; ++rank) {
      for (const auto index : share(95, {rank, 8, Remainder::drop}, 1, epoch)) seen.insert(index);
    }
  }
  EXPECT_EQ(seen.size(), 95U);
}

TEST(DistributedSampler, HasNotTheFaultOfIndicesOutOfRangeWhereTheSourceIsSmallerThanTheRanks) {
  for (const bool shuffle : {false, true}) {
    for (std::uint64_t size = 1; size < 9; ++size) {
      for (std::uint64_t rank = 0; rank < 9; ++rank) {
        EXPECT_THAT(share(size, {rank, 9}, 3, 1, shuffle), Each(Lt(size)));
        EXPECT_EQ(share(size, {rank, 9}, 3, 1, shuffle).size(), 1U);
        EXPECT_TRUE(share(size, {rank, 9, Remainder::drop}, 3, 1, shuffle).empty());
      }
    }
  }
}

TEST(DistributedSampler, HasNotTheFaultOfTheEpochAsTheOnlySeed) {
  EXPECT_NE(share(100, {0, 2}, 1, 0), share(100, {0, 2}, 2, 0));
  EXPECT_NE(share(100, {0, 2}, 1, 0), share(100, {0, 2}, 1, 1));
}

// pytorch issue 73141: set_epoch changed the caller's sampler, the loader read its own copy. Here
// there is nothing to set: whoever holds the sampler says which epoch it means.
TEST(DistributedSampler, HasNotTheFaultOfAnEpochThatNeverReachesTheLoadersCopy) {
  const DistributedSampler mine(100, {1, 2});
  const DistributedSampler the_loaders_copy = mine;
  const auto first = whole(*mine.order(7, 0));
  const auto second = whole(*mine.order(7, 1));
  EXPECT_NE(first, second);
  EXPECT_EQ(whole(*the_loaders_copy.order(7, 1)), second);
  EXPECT_EQ(whole(*mine.order(7, 0)), first);
}

TEST(DistributedSampler, GoesOnFromAPositionWithAnotherNumberOfRanks) {
  const Indices all = whole(*RandomSampler(101).order(5, 2));
  Indices got(all.begin(), all.begin() + 40);  // 4 ranks, 10 samples each
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    const DistributedSampler sampler(101, {rank, 3, Remainder::uneven});
    const Indices rest = whole(*sampler.order_from(5, 2, 40));
    got.insert(got.end(), rest.begin(), rest.end());
  }
  EXPECT_EQ(sorted(got), counted(101));
}

TEST(DistributedSampler, SplitsAnySamplersOrder) {
  const auto global = std::make_shared<const SequentialSampler>(7);
  const DistributedSampler sampler(global, {1, 3, Remainder::uneven});
  EXPECT_EQ(whole(*sampler.order(0, 0)), (Indices{1, 4}));
  EXPECT_EQ(sampler.global(), global);
  EXPECT_EQ(sampler.as_distributed(), &sampler);
  EXPECT_EQ(global->as_distributed(), nullptr);
}

TEST(DistributedSampler, IsReadableFromAnywhere) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    expect_readable_from_anywhere(*DistributedSampler(103, {2, 4, remainder}).order(1, 1));
  }
}

// The table of the class's comment: its rule is about samples and ranks, a loader's drop_last about
// batches.
TEST(DistributedSampler, DividesTenSamplesAmongFourRanksAsItsTableSays) {
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(DistributedSampler(10, {rank, 4, Remainder::pad}).size(), 3U);
    EXPECT_EQ(DistributedSampler(10, {rank, 4, Remainder::drop}).size(), 2U);
    EXPECT_EQ(DistributedSampler(10, {rank, 4, Remainder::uneven}).size(), rank < 2 ? 3U : 2U);
  }
}

TEST(DistributedSampler, SaysWhatItIs) {
  EXPECT_EQ(DistributedSampler(10, {1, 4, Remainder::drop}).text(),
            "distributed(random(size=10), rank=1, world_size=4, remainder=drop)");
  EXPECT_EQ(DistributedSampler(10, {0, 2}, false).text(),
            "distributed(sequential(size=10), rank=0, world_size=2, remainder=pad)");
}

TEST(DistributedSampler, RefusesBadRanksNoSamplerAndAShareOfAShare) {
  const auto code = ErrorCode::invalid_argument;
  EXPECT_THAT(refusal(code, [] { DistributedSampler(10, {0, 0}); }), HasSubstr("world_size"));
  EXPECT_THAT(refusal(code, [] { DistributedSampler(10, {2, 2}); }), HasSubstr("rank 2"));
  EXPECT_THAT(refusal(code,
                      [] {
                        DistributedSampler(nullptr, {0, 2});
                      }),
              HasSubstr("there is no sampler"));
  const auto share = std::make_shared<const DistributedSampler>(10, RankSplit{0, 2});
  EXPECT_THAT(refusal(code,
                      [&] {
                        DistributedSampler(share, {0, 2});
                      }),
              HasSubstr("one rank's share already"));
}

}  // namespace
}  // namespace stoker
