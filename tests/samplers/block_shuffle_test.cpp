#include <stoker/samplers/block_shuffle.hpp>

#include "tests/samplers/chi_square.hpp"
#include "tests/samplers/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace stoker {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

/// In which order the shards of 10 samples each are begun.
Indices shard_order(const BlockShuffle& sampler, std::uint64_t epoch) {
  Indices shards;
  for (const std::uint64_t index : whole(*sampler.order(1, epoch))) {
    if (std::ranges::find(shards, index / 10) == shards.end()) shards.push_back(index / 10);
  }
  return shards;
}

TEST(BlockShuffle, VisitsEverySampleOnceForAnyShardsAndWindow) {
  for (const std::uint64_t size : {1, 2, 9, 10, 11, 99, 100, 1003}) {
    for (const std::uint64_t shard_size : {1, 3, 10, 100, 5000}) {
      for (const std::uint64_t window : {1, 2, 7, 10, 64, 5000}) {
        const auto order = BlockShuffle(size, shard_size, window).order(4, 2);
        ASSERT_EQ(sorted(whole(*order)), counted(size))
            << size << ' ' << shard_size << ' ' << window;
      }
    }
  }
}

TEST(BlockShuffle, TakesShardsOfAnySizes) {
  const Indices sizes{3, 100, 1, 50, 7};
  const BlockShuffle sampler(sizes, 20);
  EXPECT_EQ(sampler.size(), 161U);
  EXPECT_EQ(sorted(whole(*sampler.order(1, 0))), counted(161));
}

TEST(BlockShuffle, WithAWindowOfOneReadsShardAfterShardInSequence) {
  const Indices order = whole(*BlockShuffle(95, 10, 1).order(1, 0));
  std::size_t breaks = 0;
  for (std::size_t i = 1; i < order.size(); ++i) breaks += order[i] == order[i - 1] + 1 ? 0U : 1U;
  EXPECT_LE(breaks, 9U);
  EXPECT_GE(breaks, 5U);
}

TEST(BlockShuffle, OpensOnlyTheShardsOfAWindow) {
  const Indices order = whole(*BlockShuffle(10'000, 100, 500).order(3, 3));
  for (std::size_t first = 0; first < order.size(); first += 500) {
    std::set<std::uint64_t> shards;
    for (std::size_t i = first; i < first + 500; ++i) shards.insert(order[i] / 100);
    EXPECT_EQ(shards.size(), 5U);
  }
}

TEST(BlockShuffle, ShufflesTheShardsOtherwiseInEveryEpoch) {
  const BlockShuffle sampler(200, 10, 10);
  std::set<Indices> seen;
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
    const Indices shards = shard_order(sampler, epoch);
    EXPECT_EQ(sorted(shards), counted(20));
    seen.insert(shards);
  }
  EXPECT_EQ(seen.size(), 50U);
}

// A sample's position over epochs: 20 bins, 19 degrees.
TEST(BlockShuffle, BringsASampleToEveryPositionAboutEquallyOften) {
  const BlockShuffle sampler(20, 2, 6);
  for (const std::uint64_t sample : {0U, 7U, 19U}) {
    Counts counts(20);
    for (std::uint64_t epoch = 0; epoch < 20'000; ++epoch) {
      const Indices order = whole(*sampler.order(sample, epoch));
      ++counts[std::size_t(std::ranges::find(order, sample) - order.begin())];
    }
    expect_chance(counts, 19);
  }
}

TEST(BlockShuffle, WithAWindowOfAllIsAFullShuffle) {
  const BlockShuffle all(1000, 10, 1000);
  const BlockShuffle more(1000, 10, 5000);
  EXPECT_EQ(whole(*all.order(1, 1)), whole(*more.order(1, 1)));
  EXPECT_EQ(all.text(), more.text());
}

TEST(BlockShuffle, DependsOnSeedAndEpochAlone) {
  const BlockShuffle sampler(1000, 10, 50);
  const Indices order = whole(*sampler.order(1, 2));
  EXPECT_EQ(whole(*BlockShuffle(1000, 10, 50).order(1, 2)), order);
  EXPECT_NE(whole(*sampler.order(2, 1)), order);
  EXPECT_NE(whole(*sampler.order(1, 3)), order);
}

TEST(BlockShuffle, NeverChangesItsOrder) {
  EXPECT_EQ(sha256(whole(*BlockShuffle(10'007, 100, 730).order(42, 3))),
            "0932238f78f818a5bd4c92cc51ee4e71992aa3c82c4b80c8b0f42cb8a6223228");
}

TEST(BlockShuffle, IsReadableFromAnywhere) {
  expect_readable_from_anywhere(*BlockShuffle(1003, 10, 33).order(1, 1));
}

TEST(BlockShuffle, TakesMemoryForItsShardsAlone) {
  const std::uint64_t size = std::uint64_t{1} << 50;
  const auto order = BlockShuffle(size, size / 1000, 1'000'000).order(1, 1);
  Indices end(1000);
  order->read(size - 1000, end);
  EXPECT_LT(std::ranges::max(end), size);
}

TEST(BlockShuffle, SaysWhatItIs) {
  EXPECT_EQ(BlockShuffle(1000, 10, 50).text(),
            "block_shuffle(size=1000, shard_size=10, window=50)");
  const Indices sizes{3, 4};
  EXPECT_THAT(
      BlockShuffle(sizes, 2).text(),
      MatchesRegex("block_shuffle\\(size=7, shards=2, shard_sizes=[0-9a-f]{32}, window=2\\)"));
}

TEST(BlockShuffle, RefusesNoSamplesNoWindowAndEmptyShards) {
  const auto code = ErrorCode::invalid_argument;
  EXPECT_THAT(refusal(ErrorCode::empty_source, [] { BlockShuffle(0, 10, 10); }),
              HasSubstr("no samples"));
  EXPECT_THAT(refusal(ErrorCode::empty_source, [] { BlockShuffle(Indices{}, 10); }),
              HasSubstr("no shards"));
  EXPECT_THAT(refusal(code, [] { BlockShuffle(10, 0, 10); }), HasSubstr("shard_size"));
  EXPECT_THAT(refusal(code, [] { BlockShuffle(10, 2, 0); }), HasSubstr("window"));
  EXPECT_THAT(refusal(code,
                      [] {
                        BlockShuffle(Indices{3, 0, 4}, 2);
                      }),
              HasSubstr("shard 1 has no samples"));
  EXPECT_THAT(refusal(code, [] { BlockShuffle(std::uint64_t{1} << 40, 1, 2); }),
              HasSubstr("shards"));
}

}  // namespace
}  // namespace stoker
