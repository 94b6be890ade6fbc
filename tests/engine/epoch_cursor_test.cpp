#include "src/engine/epoch_cursor.hpp"

#include <gmock/gmock.h>

#include <latch>
#include <thread>
#include <vector>

namespace stoker {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint64_t> epochs(EpochCursor& cursor, int count) {
  std::vector<std::uint64_t> result;
  for (int i = 0; i < count; ++i) {
    const auto position = cursor.try_next();
    if (!position) break;
    EXPECT_EQ(position->sequence, static_cast<std::uint64_t>(i));
    result.push_back(position->start.epoch);
  }
  return result;
}

std::vector<std::uint64_t> epochs_behind(EpochCursor& cursor, int count) {
  std::vector<std::uint64_t> result;
  for (int i = 0; i < count; ++i) result.push_back(cursor.try_next()->start.epoch);
  return result;
}

TEST(EpochCursor, GoesOnToTheNextEpochAsAGuess) {
  EpochCursor cursor(2, 0);
  EXPECT_FALSE(cursor.try_next());
  cursor.restart(1, {7, 0, 0}, 2, false);
  EXPECT_THAT(epochs(cursor, 5), ElementsAre(7, 7, 8, 8, 9));
  EXPECT_EQ(cursor.guess(), 10U);
}

TEST(EpochCursor, LeavesTheFirstBatchOfAnEpochToWhoBuildsItsOrder) {
  EpochCursor cursor(2, 0);
  EXPECT_FALSE(cursor.try_next_in_epoch());
  cursor.restart(1, {7, 0, 0}, 2, false);
  EXPECT_FALSE(cursor.try_next_in_epoch());
  EXPECT_EQ(cursor.try_next()->step, 0U);
  EXPECT_EQ(cursor.try_next_in_epoch()->step, 1U);
  EXPECT_FALSE(cursor.try_next_in_epoch());
  EXPECT_EQ(cursor.try_next()->start.epoch, 8U);
  EXPECT_EQ(cursor.try_next_in_epoch()->sequence, 3U);
}

TEST(EpochCursor, StopsBehindTheLastEpoch) {
  EpochCursor announced(2, 0), counted(2, 3);
  announced.restart(1, {7, 0, 0}, 2, true);
  EXPECT_THAT(epochs(announced, 9), ElementsAre(7, 7));
  EXPECT_FALSE(announced.guess());
  counted.restart(1, {1, 0, 0}, 2, false);
  EXPECT_THAT(epochs(counted, 9), ElementsAre(1, 1, 2, 2));
  counted.restart(2, {5, 0, 0}, 2, false);  // beyond what was announced, but asked for
  EXPECT_THAT(epochs(counted, 9), ElementsAre(5, 5));
}

TEST(EpochCursor, ForgetsItsGuessWhenTheLastEpochIsAnnounced) {
  EpochCursor cursor(2, 0);
  cursor.restart(1, {0, 0, 0}, 2, false);
  EXPECT_THAT(epochs(cursor, 3), ElementsAre(0, 0, 1));
  cursor.announce_last(0);
  EXPECT_FALSE(cursor.try_next());
}

TEST(EpochCursor, EntersAnEpochInItsMiddleAndTheNextAtItsBeginning) {
  EpochCursor cursor(3, 0);
  cursor.restart(1, {7, 40, 1}, 2, false);
  const auto first = cursor.try_next(), second = cursor.try_next(), third = cursor.try_next();
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(first->start.from, 40U);
  EXPECT_THAT((std::vector{first->number(), second->number(), third->number()}),
              ElementsAre(1, 2, 0));
  EXPECT_EQ(third->start.epoch, 8U);
  EXPECT_EQ(third->start.from, 0U);
  EXPECT_THAT(epochs_behind(cursor, 3), ElementsAre(8, 8, 9));
}

TEST(EpochCursor, GoesOnWithTheNextEpochWhereNothingIsLeftOfTheFirst) {
  EpochCursor cursor(3, 0);
  cursor.restart(1, {7, 100, 3}, 0, false);
  EXPECT_THAT(epochs(cursor, 4), ElementsAre(8, 8, 8, 9));
}

TEST(EpochCursor, HasNothingWhereEpochsAreEmpty) {
  EpochCursor cursor(0, 0);
  cursor.restart(1, {0, 0, 0}, 0, false);
  EXPECT_FALSE(cursor.try_next());
  EXPECT_FALSE(cursor.guess());
}

TEST(EpochCursor, WaitsUntilAnEpochStartsOrItIsClosed) {
  EpochCursor cursor(1, 0);
  std::latch found(1);
  std::thread waiter([&] {
    const auto position = cursor.next();
    EXPECT_TRUE(position && position->start.epoch == 3);
    found.count_down();
    EXPECT_FALSE(cursor.next());
  });
  cursor.restart(1, {3, 0, 0}, 1, true);
  found.wait();
  cursor.close();
  waiter.join();
}

}  // namespace
}  // namespace stoker
