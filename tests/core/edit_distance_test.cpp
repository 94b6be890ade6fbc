#include <stoker/core/edit_distance.hpp>

#include <gtest/gtest.h>

namespace stoker {
namespace {

TEST(EditDistance, CountsLettersChangedAddedAndLeftOut) {
  EXPECT_EQ(edit_distance("order", "order"), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("ordr", "order"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("resised", "resized"), 1U);
}

}  // namespace
}  // namespace stoker
