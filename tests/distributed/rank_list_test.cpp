#include "src/distributed/rank_list.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace stoker {
namespace {

TEST(RankList, WritesOneRankAndRuns) {
  EXPECT_EQ(rank_list({2}), "rank 2");
  EXPECT_EQ(rank_list({0, 1, 3}), "ranks 0-1, 3");
  EXPECT_EQ(rank_list({0, 1, 2, 3}), "ranks 0-3");
}

TEST(RankList, StaysShortForManyRanks) {
  std::vector<std::uint64_t> even;
  for (std::uint64_t rank = 0; rank < 1024; rank += 2) even.push_back(rank);
  EXPECT_EQ(rank_list(even), "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 504 more");
}

TEST(RankList, FindsGapsAlsoOfHugeRanges) {
  EXPECT_EQ(text_of(gaps_of({1, 2, 5}, 8)), "0, 3-4, 6-7");
  EXPECT_EQ(text_of(gaps_of({0, 1, 2}, 3)), "");
  EXPECT_EQ(text_of(gaps_of({}, std::numeric_limits<std::uint64_t>::max())),
            "0-18446744073709551614");
}

TEST(RankList, IgnoresNumbersBehindTheRange) { EXPECT_EQ(text_of(gaps_of({0, 7}, 3)), "1-2"); }

}  // namespace
}  // namespace stoker
