#include "bindings/mpi/gather_layout.hpp"

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace stoker {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t int_limit = std::numeric_limits<int>::max();

TEST(GatherLayout, LaysMessagesOneBehindTheOther) {
  const GatherLayout layout = gather_layout({3, 0, 2});
  EXPECT_THAT(layout.counts, ElementsAre(3, 0, 2));
  EXPECT_THAT(layout.offsets, ElementsAre(0, 3, 3));
  EXPECT_EQ(layout.total, 5U);
  EXPECT_THAT(split("abcde", layout), ElementsAre("abc", "", "de"));
}

TEST(GatherLayout, TakesAsMuchAsMpiCounts) {
  EXPECT_EQ(gather_layout({int_limit - 1, 1}).total, int_limit);
}

TEST(GatherLayout, RefusesMoreThanMpiCounts) {
  for (const std::uint64_t much : {int_limit, std::numeric_limits<std::uint64_t>::max()}) {
    try {
      gather_layout({1, much});
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
    }
  }
}

}  // namespace
}  // namespace stoker
