#include "src/engine/batch_schedule.hpp"

#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

namespace stoker {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<BatchSchedule> sequential(std::uint64_t size, std::size_t batch_size,
                                          LoaderOptions options = {}) {
  options.batch_size = batch_size;
  options.sampler = std::make_shared<SequentialSampler>(size);
  return make_schedule(options, size);
}

BatchInfo batch(BatchSchedule& schedule, std::uint64_t from, std::uint64_t step) {
  BatchInfo info;
  schedule.assign(0, from, step, info);
  return info;
}

TEST(BatchSchedule, CutsAnEpochWithAndWithoutItsRest) {
  const auto keep = sequential(10, 4);
  const auto drop = sequential(10, 4, {.drop_last = true});
  EXPECT_EQ(keep->steps(0), 3U);
  EXPECT_EQ(drop->steps(0), 2U);
  EXPECT_EQ(sequential(3, 4, {.drop_last = true})->steps(0), 0U);
  const BatchInfo info = batch(*keep, 0, 2);
  EXPECT_EQ(info.count, 2U);
  EXPECT_THAT(info.indices, ElementsAre(8, 9));
  EXPECT_THAT(info.positions, ElementsAre(8, 9));
  EXPECT_THAT(info.valid, ElementsAre(1, 1));
}

TEST(BatchSchedule, GivesTheSameBatchesInAnyOrderOfAsking) {
  LoaderOptions options{.batch_size = 7, .seed = 3};
  options.sampler = std::make_shared<RandomSampler>(100);
  const auto forward = make_schedule(options, 100), jumping = make_schedule(options, 100);
  for (const std::uint64_t epoch : {4, 0, 4, 1}) {
    BatchInfo a, b;
    forward->assign(epoch, 0, epoch, a);
    jumping->prepare(epoch + 1);
    jumping->assign(epoch, 0, epoch, b);
    EXPECT_EQ(a.indices, b.indices);
  }
}

TEST(BatchSchedule, GivesEachRankEveryWorldSizethSample) {
  const auto rank = [](std::uint64_t r) { return sequential(10, 2, {.rank = r, .world_size = 4}); };
  EXPECT_THAT(batch(*rank(0), 0, 0).indices, ElementsAre(0, 4));
  EXPECT_THAT(batch(*rank(3), 0, 0).indices, ElementsAre(3, 7));
  EXPECT_THAT(batch(*rank(1), 0, 1).indices, ElementsAre(9));
  EXPECT_EQ(rank(3)->steps(0), 2U);
}

TEST(BatchSchedule, PutsPaddingBehindTheOrderSoThatItIsAugmentedAnew) {
  const auto schedule = sequential(10, 2, {.rank = 3, .world_size = 4});
  EXPECT_THAT(batch(*schedule, 0, 1).indices, ElementsAre(1));  // 10, 11 stand for 0, 1
  EXPECT_THAT(batch(*schedule, 0, 1).positions, ElementsAre(11));
}

TEST(BatchSchedule, GoesOnFromAPlaceInTheOrderWithAnyWorldSize) {
  const auto schedule = sequential(20, 2, {.rank = 1, .world_size = 3});
  EXPECT_EQ(schedule->steps(8), 2U);
  EXPECT_THAT(batch(*schedule, 8, 0).indices, ElementsAre(9, 12));
  EXPECT_THAT(batch(*schedule, 8, 1).indices, ElementsAre(15, 18));
  EXPECT_EQ(schedule->position_after(8, 1), 14U);
  EXPECT_EQ(schedule->position_after(8, 2), 20U);
}

TEST(BatchSchedule, KnowsThePlaceThatAllRanksHaveReached) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    const auto schedule = sequential(10, 2, {.world_size = 4, .remainder = remainder});
    EXPECT_EQ(schedule->position_after(0, 0), 0U);
    EXPECT_EQ(schedule->position_after(0, 1), 8U);
    EXPECT_EQ(schedule->position_after(0, 2), 10U);
    EXPECT_EQ(schedule->position_after(10, 0), 10U);
  }
  constexpr std::uint64_t huge = std::uint64_t{1} << 47;
  const auto schedule = sequential(huge, 1 << 20, {.world_size = 1 << 10});
  EXPECT_EQ(schedule->position_after(0, schedule->steps(0)), huge);
}

/// Batches of 1, 2, 3 ... samples.
class GrowingBatches final : public BatchSampler {
 public:
  class Batches final : public BatchOrder {
   public:
    explicit Batches(std::uint64_t count) : count_(count) {}
    std::uint64_t size() const override { return count_; }
    std::uint64_t first(std::uint64_t batch) const override { return batch * (batch + 1) / 2; }
    void read(std::uint64_t batch, std::span<std::uint64_t> out) const override {
      std::iota(out.begin(), out.end(), first(batch));
    }

   private:
    std::uint64_t count_;
  };
  explicit GrowingBatches(std::uint64_t count, std::size_t largest)
      : count_(count), largest_(largest) {}
  std::uint64_t size() const override { return count_; }
  std::size_t max_batch_size() const override { return largest_; }
  std::shared_ptr<const BatchOrder> order(std::uint64_t, std::uint64_t) const override {
    return std::make_shared<Batches>(count_);
  }
  std::string text() const override { return "growing"; }

 private:
  std::uint64_t count_;
  std::size_t largest_;
};

std::unique_ptr<BatchSchedule> growing(std::uint64_t count, std::size_t largest,
                                       LoaderOptions options = {}) {
  options.batch_sampler = std::make_shared<GrowingBatches>(count, largest);
  return make_schedule(options, 1000);
}

TEST(BatchSchedule, SplitsABatchSamplersWholeBatchesAmongRanks) {
  const auto first = growing(5, 5, {.rank = 0, .world_size = 2});
  const auto second = growing(5, 5, {.rank = 1, .world_size = 2});
  EXPECT_EQ(first->steps(0), 3U);
  EXPECT_EQ(second->steps(0), 3U);
  EXPECT_THAT(batch(*first, 0, 1).indices, ElementsAre(3, 4, 5));
  EXPECT_THAT(batch(*second, 0, 0).indices, ElementsAre(1, 2));
  const BatchInfo padding = batch(*second, 0, 2);
  EXPECT_THAT(padding.indices, ElementsAre(0));
  EXPECT_THAT(padding.positions, ElementsAre(15));
  EXPECT_EQ(first->position_after(0, 2), 4U);
  EXPECT_THAT(batch(*first, 3, 0).positions, ElementsAre(6, 7, 8, 9));
}

TEST(BatchSchedule, RefusesABatchLargerThanTheLargest) {
  const auto schedule = growing(5, 3);
  BatchInfo info;
  EXPECT_THROW(schedule->assign(0, 0, 3, info), Error);
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
  LoaderOptions options{.batch_size = 5};
  options.sampler = std::make_shared<SequentialSampler>(10);
  const auto beyond = make_schedule(options, 9);
  BatchInfo info;
  beyond->assign(0, 0, 0, info);
  EXPECT_EQ(info.count, 5U);
  EXPECT_THROW(beyond->assign(0, 0, 1, info), Error);
  options.sampler = std::make_shared<LyingSampler>();
  const auto lying = make_schedule(options, 10);
  EXPECT_THROW(lying->assign(0, 0, 0, info), Error);
}

}  // namespace
}  // namespace stoker
