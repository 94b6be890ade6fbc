#include "examples/torch/progress.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace examples {
namespace {

using namespace std::chrono_literals;

/// A clock that stands still until it is told to go on.
struct FakeClock {
  Progress::Clock::time_point time{};
  Progress::Now now() {
    return [this] { return time; };
  }
};

/// A range that fetches nothing before it is looked at: `first` passes when iterators are compared
/// for the first time, `each` whenever one goes on.
class SlowRange {
 public:
  SlowRange(FakeClock& clock, int batches, Progress::Clock::duration first,
            Progress::Clock::duration each)
      : clock_(clock), batches_(batches), first_(first), each_(each) {}

  class Iterator {
   public:
    Iterator(SlowRange* range, int place) : range_(range), place_(place) {}
    int& operator*() { return place_; }
    Iterator& operator++() {
      range_->clock_.time += range_->each_;
      ++place_;
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      range_->clock_.time += std::exchange(range_->first_, {});
      return place_ != other.place_;
    }

   private:
    SlowRange* range_;
    int place_;
  };

  Iterator begin() { return {this, 0}; }
  Iterator end() { return {this, batches_}; }

 private:
  FakeClock& clock_;
  int batches_;
  Progress::Clock::duration first_, each_;
};

TEST(Progress, CountsTimeOutsideTheLoopsBodyAsStarvation) {
  FakeClock clock;
  Progress progress("epoch 1", 4, clock.now());
  SlowRange range(clock, 4, 100ms, 50ms);
  std::vector<int> seen;
  for (const int& batch : progress.watch(range)) {
    seen.push_back(batch);
    clock.time += 175ms;
    progress.advance(64);
  }
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
  // 100 ms for the first, 50 ms behind each of four; 700 ms of work.
  EXPECT_DOUBLE_EQ(progress.starvation(), 0.3);
  EXPECT_DOUBLE_EQ(progress.images_per_second(), 256);
  EXPECT_EQ(progress.summary(), "epoch 1: 4 steps, 256.0 images/s, starvation 30.0 %");
}

TEST(Progress, LetsBatchesBeChangedAndMovedOut) {
  FakeClock clock;
  Progress progress("epoch 1", 1, clock.now());
  std::vector<std::vector<int>> range{{1, 2}, {3}};
  for (std::vector<int>& batch : progress.watch(range)) {
    const std::vector<int> kept = std::move(batch);
    EXPECT_FALSE(kept.empty());
  }
  EXPECT_TRUE(range[0].empty());
}

TEST(Progress, KeepsATemporaryRange) {
  FakeClock clock;
  Progress progress("epoch 1", 1, clock.now());
  int sum = 0;
  for (const int& batch : progress.watch(std::vector<int>{1, 2, 3})) sum += batch;
  EXPECT_EQ(sum, 6);
}

TEST(Progress, TimesACallThatGivesABatch) {
  FakeClock clock;
  Progress progress("epoch 1", 1, clock.now());
  EXPECT_EQ(progress.timed([&] {
    clock.time += 1s;
    return 7;
  }),
            7);
  clock.time += 3s;
  EXPECT_DOUBLE_EQ(progress.starvation(), 0.25);
}

TEST(Progress, DrawsABarOfWhatIsDone) {
  FakeClock clock;
  Progress progress("epoch 2", 4, clock.now());
  EXPECT_EQ(progress.line(),
            "[..............................] 0% epoch 2: 0.0 images/s, starvation 0.0 %");
  clock.time += 2s;
  progress.advance(3);
  progress.advance(4);
  EXPECT_EQ(progress.line(),
            "[###############...............] 50% epoch 2: 3.5 images/s, starvation 0.0 %");
  for (int i = 0; i < 9; ++i) progress.advance(0);
  EXPECT_EQ(progress.line(),
            "[##############################] 100% epoch 2: 3.5 images/s, starvation 0.0 %");
}

}  // namespace
}  // namespace examples
