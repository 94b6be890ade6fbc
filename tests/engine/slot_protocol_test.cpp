#include "src/engine/slot_protocol.hpp"

#include <gtest/gtest.h>

namespace stoker {
namespace {

TEST(SlotProtocol, KnowsTheThreeWaysRound) {
  using S = SlotState;
  const std::vector<std::vector<S>> ways{
      {S::free, S::filling, S::full, S::held, S::free},
      {S::free, S::filling, S::full, S::copying, S::free},
      {S::free, S::copying, S::ready, S::held, S::free},
  };
  for (const auto& way : ways) {
    SlotStateCell cell;
    for (std::size_t i = 0; i + 1 < way.size(); ++i) cell.move(way[i], way[i + 1]);
    EXPECT_EQ(cell.get(), S::free);
  }
}

TEST(SlotProtocol, ForbidsWhatWouldOverwriteABatch) {
  EXPECT_FALSE(allowed(SlotState::held, SlotState::filling));
  EXPECT_FALSE(allowed(SlotState::full, SlotState::filling));
  EXPECT_FALSE(allowed(SlotState::copying, SlotState::filling));
  EXPECT_FALSE(allowed(SlotState::held, SlotState::copying));
  EXPECT_FALSE(allowed(SlotState::filling, SlotState::held));
}

TEST(SlotProtocolDeathTest, EndsTheProcessBeforeMemoryIsOverwritten) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        SlotStateCell cell;
        cell.move(SlotState::full, SlotState::held);
      },
      "full -> held while free");
  EXPECT_DEATH(
      {
        SlotStateCell cell;
        cell.move(SlotState::free, SlotState::held);
      },
      "free -> held");
}

}  // namespace
}  // namespace stoker
