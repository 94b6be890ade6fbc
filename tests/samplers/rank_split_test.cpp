#include <stoker/samplers/rank_split.hpp>

#include "tests/samplers/orders.hpp"
#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t sizes[] = {1, 2, 3, 5, 8, 10, 11, 64, 97};
constexpr std::uint64_t world_sizes[] = {1, 2, 3, 4, 7, 8, 16};

std::vector<std::uint64_t> starts(std::uint64_t size) {
  std::vector<std::uint64_t> result{0, 1, size / 3, size / 2, size - 1, size};
  std::erase_if(result, [size](std::uint64_t from) { return from > size; });
  return result;
}

/// What each rank gets of 0, 1, ..., size - 1 from `from` on.
std::vector<Indices> shares(std::uint64_t size, std::uint64_t world_size, std::uint64_t from,
                            Remainder remainder) {
  const auto order = SequentialSampler(size).order(0, 0);
  std::vector<Indices> result;
  for (std::uint64_t rank = 0; rank < world_size; ++rank) {
    const RankSplit split{rank, world_size, remainder};
    result.emplace_back(split.count(size, from));
    read_split(*order, split, from, 0, 1, result.back());
  }
  return result;
}

std::map<std::uint64_t, std::uint64_t> how_often(const std::vector<Indices>& shares) {
  std::map<std::uint64_t, std::uint64_t> result;
  for (const Indices& share : shares) {
    for (const std::uint64_t index : share) ++result[index];
  }
  return result;
}

template <class Check>
void for_every_split(Remainder remainder, Check check) {
  for (const std::uint64_t size : sizes) {
    for (const std::uint64_t world_size : world_sizes) {
      for (const std::uint64_t from : starts(size)) {
        SCOPED_TRACE(fmt::format("size {}, world_size {}, from {}", size, world_size, from));
        check(size, world_size, from, shares(size, world_size, from, remainder));
      }
    }
  }
}

TEST(RankSplit, UnevenGivesEverySampleToExactlyOneRank) {
  for_every_split(Remainder::uneven, [](auto size, auto world_size, auto from, const auto& split) {
    Indices all;
    for (const Indices& share : split) {
      all.insert(all.end(), share.begin(), share.end());
      EXPECT_LE(split.front().size() - share.size(), 1U);
    }
    const Indices expected = counted(size);
    EXPECT_EQ(sorted(all), Indices(expected.begin() + std::int64_t(from), expected.end()));
    EXPECT_EQ(split.size(), world_size);
  });
}

TEST(RankSplit, PadGivesEveryRankAsManyAndRepeatsFewerThanThereAreRanks) {
  for_every_split(Remainder::pad, [](auto size, auto world_size, auto from, const auto& split) {
    std::uint64_t total = 0;
    for (const Indices& share : split) {
      EXPECT_EQ(share.size(), split.front().size());
      total += share.size();
    }
    EXPECT_LT(total - (size - from), world_size);
    const auto seen = how_often(split);
    for (std::uint64_t index = from; index < size; ++index) {
      EXPECT_TRUE(seen.contains(index)) << index;
    }
  });
}

TEST(RankSplit, PadRepeatsTheEpochsFirstSamples) {
  for_every_split(Remainder::pad, [](auto size, auto world_size, auto from, const auto& split) {
    for (std::uint64_t rank = 0; rank < world_size; ++rank) {
      for (std::uint64_t i = 0; i < split[rank].size(); ++i) {
        EXPECT_EQ(split[rank][i], (from + rank + i * world_size) % size);
      }
    }
  });
}

TEST(RankSplit, DropGivesEveryRankAsManyAndLosesFewerThanThereAreRanks) {
  for_every_split(Remainder::drop, [](auto size, auto world_size, auto from, const auto& split) {
    std::uint64_t total = 0;
    for (const Indices& share : split) {
      EXPECT_EQ(share.size(), split.front().size());
      total += share.size();
    }
    EXPECT_LT(size - from - total, world_size);
    for (const auto& [index, times] : how_often(split)) EXPECT_EQ(times, 1U) << index;
  });
}

/// Runs an epoch in stages, each `steps` samples a rank on another number of ranks, the last to the
/// end; returns what came before the last stage and what the last stage gave.
std::pair<Indices, std::vector<Indices>> run_in_stages(std::uint64_t size, Remainder remainder) {
  constexpr std::pair<std::uint64_t, std::uint64_t> stages[] = {{4, 5}, {2, 9}, {3, 4}};
  const auto order = SequentialSampler(size).order(0, 0);
  Indices before;
  std::uint64_t from = 0;
  for (const auto& [world_size, steps] : stages) {
    for (std::uint64_t rank = 0; rank < world_size; ++rank) {
      Indices got(steps);
      read_split(*order, {rank, world_size, remainder}, from, 0, 1, got);
      before.insert(before.end(), got.begin(), got.end());
    }
    from += world_size * steps;
  }
  return {before, shares(size, 5, from, remainder)};
}

TEST(RankSplit, GoesOnAtAnyPositionWithAnyNumberOfRanksAndLosesOrRepeatsNothingBeforeTheEnd) {
  for (const std::uint64_t size : {51U, 52U, 60U, 61U, 64U, 99U}) {
    for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
      SCOPED_TRACE(fmt::format("size {}, {}", size, name(remainder)));
      auto [all, last] = run_in_stages(size, remainder);
      EXPECT_EQ(sorted(all), counted(50));  // 4 * 5 + 2 * 9 + 3 * 4
      for (const Indices& share : last) all.insert(all.end(), share.begin(), share.end());
      std::ranges::sort(all);
      const auto repeats = std::uint64_t(std::ranges::distance(std::ranges::unique(all)));
      const std::uint64_t lost = size - (all.size() - repeats);
      EXPECT_LE(repeats, remainder == Remainder::pad ? 4U : 0U);
      EXPECT_LE(lost, remainder == Remainder::drop ? 4U : 0U);
    }
  }
}

TEST(RankSplit, ReadsFromAnySampleOfItsShareWithAnyStride) {
  const auto order = SequentialSampler(29).order(0, 0);
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
      const RankSplit split{rank, 4, remainder};
      const Indices all = shares(29, 4, 3, remainder).at(rank);
      for (std::uint64_t first = 0; first < all.size(); ++first) {
        for (const std::uint64_t stride : {1, 2, 5}) {
          Indices expected;
          for (auto i = first; i < all.size(); i += stride) expected.push_back(all[i]);
          Indices got(expected.size());
          read_split(*order, split, 3, first, stride, got);
          EXPECT_EQ(got, expected);
        }
      }
    }
  }
}

TEST(RankSplit, ReadsNothingWhereNothingIsAskedFor) {
  const auto order = SequentialSampler(3).order(0, 0);
  read_split(*order, {1, 4, Remainder::drop}, 3, 0, 1, {});
  EXPECT_EQ(RankSplit({1, 4, Remainder::pad}).count(3, 3), 0U);
  EXPECT_EQ(RankSplit({1, 4, Remainder::pad}).count(3, 9), 0U);
}

TEST(RankSplit, PadsASourceSmallerThanTheRanksByRepeatingIt) {
  const auto split = shares(3, 8, 0, Remainder::pad);
  EXPECT_THAT(split, ElementsAre(Indices{0}, Indices{1}, Indices{2}, Indices{0}, Indices{1},
                                 Indices{2}, Indices{0}, Indices{1}));
}

TEST(RankSplit, RefusesNoRanksAndARankThatDoesNotExist) {
  EXPECT_THAT(refusal(ErrorCode::invalid_argument,
                      [] {
                        RankSplit{0, 0}.check();
                      }),
              HasSubstr("world_size must be at least 1"));
  EXPECT_THAT(refusal(ErrorCode::invalid_argument,
                      [] {
                        RankSplit{4, 4}.check();
                      }),
              HasSubstr("rank 4 does not exist among 4 ranks: it must be from 0 to 3"));
  EXPECT_NO_THROW(RankSplit({3, 4}).check());
}

TEST(RankSplit, NamesItsRules) {
  EXPECT_EQ(name(Remainder::pad), "pad");
  EXPECT_EQ(name(Remainder::drop), "drop");
  EXPECT_EQ(name(Remainder::uneven), "uneven");
}

}  // namespace
}  // namespace stoker
