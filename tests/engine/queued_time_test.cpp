#include "src/engine/queued_time.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace stoker {
namespace {

using std::chrono::nanoseconds;

TEST(QueuedTime, RunsWhileSomethingWaits) {
  QueuedTime time;
  EXPECT_EQ(time.total(), nanoseconds(0));
  time.add(2);
  EXPECT_EQ(time.waiting(), 2U);
  const nanoseconds first = time.total();
  while (time.total() == first) continue;
  time.remove(1);
  const nanoseconds second = time.total();
  while (time.total() == second) continue;
  time.remove(1);
  EXPECT_EQ(time.waiting(), 0U);
  const nanoseconds stopped = time.total();
  EXPECT_GT(stopped, second);
  EXPECT_EQ(time.total(), stopped);
  time.add(1);
  EXPECT_GE(time.total(), stopped);
}

TEST(QueuedTime, BeginsAgainAtAReset) {
  QueuedTime time;
  time.add(1);
  const auto start = std::chrono::steady_clock::now();
  while (time.total() < std::chrono::milliseconds(2)) continue;
  const auto before_reset = std::chrono::steady_clock::now();
  time.reset();
  const nanoseconds since_reset = time.total();
  EXPECT_LE(since_reset, std::chrono::steady_clock::now() - before_reset);
  time.remove(1);
  EXPECT_LT(time.total(), std::chrono::steady_clock::now() - start);
  time.reset();
  EXPECT_EQ(time.total(), nanoseconds(0));
}

TEST(QueuedTime, CountsWhatManyThreadsPutInAndTakeOut) {
  QueuedTime time;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        time.add(3);
        time.remove(2);
        time.remove(1);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(time.waiting(), 0U);
  EXPECT_GE(time.total(), nanoseconds(0));
  EXPECT_LE(time.total(), std::chrono::steady_clock::now() - start);
}

}  // namespace
}  // namespace stoker
