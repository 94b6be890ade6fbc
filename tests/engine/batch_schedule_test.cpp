#include "src/engine/batch_schedule.hpp"

#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>

#include <latch>
#include <thread>

namespace stoker {
namespace {

using ::testing::ElementsAre;

TEST(BatchSchedule, CutsAnEpochWithAndWithoutItsRest) {
  BatchSchedule keep(std::make_shared<SequentialSampler>(10), 10, 0, 4, false);
  BatchSchedule drop(std::make_shared<SequentialSampler>(10), 10, 0, 4, true);
  EXPECT_EQ(keep.batches_per_epoch(), 3U);
  EXPECT_EQ(drop.batches_per_epoch(), 2U);
  EXPECT_EQ(
      BatchSchedule(std::make_shared<SequentialSampler>(3), 3, 0, 4, true).batches_per_epoch(), 0U);
  BatchInfo info;
  keep.assign(5, 2, info);
  EXPECT_EQ(info.epoch, 5U);
  EXPECT_EQ(info.number, 2U);
  EXPECT_EQ(info.count, 2U);
  EXPECT_THAT(info.indices, ElementsAre(8, 9));
  EXPECT_THAT(info.positions, ElementsAre(8, 9));
  EXPECT_THAT(info.valid, ElementsAre(1, 1));
}

TEST(BatchSchedule, GivesTheSameBatchesInAnyOrderOfAsking) {
  const auto sampler = std::make_shared<RandomSampler>(100);
  BatchSchedule forward(sampler, 100, 3, 7, false), jumping(sampler, 100, 3, 7, false);
  for (const std::uint64_t epoch : {4, 0, 4, 1}) {
    BatchInfo a, b;
    forward.assign(epoch, epoch, a);
    jumping.prepare(epoch + 1);
    jumping.assign(epoch, epoch, b);
    EXPECT_EQ(a.indices, b.indices);
  }
}

/// A sampler whose size is not its orders'.
class LyingSampler final : public Sampler {
 public:
  std::uint64_t size() const override { return 5; }
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override {
    return SequentialSampler(4).order(seed, epoch);
  }
  std::string text() const override { return "lying"; }
};

TEST(BatchSchedule, RefusesIndicesAndOrdersThatCannotBe) {
  BatchSchedule beyond(std::make_shared<SequentialSampler>(10), 9, 0, 5, false);
  BatchInfo info;
  beyond.assign(0, 0, info);
  EXPECT_EQ(info.count, 5U);
  EXPECT_THROW(beyond.assign(0, 1, info), Error);
  EXPECT_EQ(info.count, 0U);
  BatchSchedule lying(std::make_shared<LyingSampler>(), 10, 0, 5, false);
  EXPECT_THROW(lying.assign(0, 0, info), Error);
}

std::vector<std::uint64_t> epochs(EpochCursor& cursor, int count) {
  std::vector<std::uint64_t> result;
  for (int i = 0; i < count; ++i) {
    const auto position = cursor.try_next();
    if (!position) break;
    EXPECT_EQ(position->sequence, static_cast<std::uint64_t>(i));
    result.push_back(position->epoch);
  }
  return result;
}

TEST(EpochCursor, GoesOnToTheNextEpochAsAGuess) {
  EpochCursor cursor(2, 0);
  EXPECT_FALSE(cursor.try_next());
  cursor.restart(1, 7, false);
  EXPECT_THAT(epochs(cursor, 5), ElementsAre(7, 7, 8, 8, 9));
  EXPECT_EQ(cursor.guess(), 10U);
}

TEST(EpochCursor, StopsBehindTheLastEpoch) {
  EpochCursor announced(2, 0), counted(2, 3);
  announced.restart(1, 7, true);
  EXPECT_THAT(epochs(announced, 9), ElementsAre(7, 7));
  EXPECT_FALSE(announced.guess());
  counted.restart(1, 1, false);
  EXPECT_THAT(epochs(counted, 9), ElementsAre(1, 1, 2, 2));
  counted.restart(2, 5, false);  // beyond what was announced, but asked for
  EXPECT_THAT(epochs(counted, 9), ElementsAre(5, 5));
}

TEST(EpochCursor, ForgetsItsGuessWhenTheLastEpochIsAnnounced) {
  EpochCursor cursor(2, 0);
  cursor.restart(1, 0, false);
  EXPECT_THAT(epochs(cursor, 3), ElementsAre(0, 0, 1));
  cursor.announce_last(0);
  EXPECT_FALSE(cursor.try_next());
}

TEST(EpochCursor, HasNothingWhereEpochsAreEmpty) {
  EpochCursor cursor(0, 0);
  cursor.restart(1, 0, false);
  EXPECT_FALSE(cursor.try_next());
  EXPECT_FALSE(cursor.guess());
}

TEST(EpochCursor, WaitsUntilAnEpochStartsOrItIsClosed) {
  EpochCursor cursor(1, 0);
  std::latch found(1);
  std::thread waiter([&] {
    const auto position = cursor.next();
    EXPECT_TRUE(position && position->epoch == 3);
    found.count_down();
    EXPECT_FALSE(cursor.next());
  });
  cursor.restart(1, 3, true);
  found.wait();
  cursor.close();
  waiter.join();
}

}  // namespace
}  // namespace stoker
