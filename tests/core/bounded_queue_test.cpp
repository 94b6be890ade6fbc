#include "src/core/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>
#include <vector>

namespace stoker {
namespace {

TEST(BoundedQueue, BehavesAsAQueueOnOneThread) {
  const auto seed = static_cast<std::uint32_t>(::testing::UnitTest::GetInstance()->random_seed());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::size_t capacity : {1, 2, 7}) {
    BoundedQueue<int> queue(capacity);
    std::deque<int> oracle;
    for (int i = 0; i < 5000; ++i) {
      if (random() % 2 == 0) {
        ASSERT_EQ(queue.try_push(i), oracle.size() < capacity);
        if (oracle.size() < capacity) oracle.push_back(i);
      } else {
        const std::optional<int> item = queue.try_pop();
        ASSERT_EQ(item.has_value(), !oracle.empty());
        if (!item) continue;
        ASSERT_EQ(*item, oracle.front());
        oracle.pop_front();
      }
      ASSERT_EQ(queue.size(), oracle.size());
    }
  }
}

TEST(BoundedQueue, HandsEachItemToOneThreadInEachProducersOrder) {
  constexpr int producers = 3, consumers = 3, items = 20000;
  for (const std::size_t capacity : {1, 16}) {
    BoundedQueue<int> queue(capacity);
    std::vector<std::vector<int>> taken(consumers);
    std::vector<std::thread> threads;
    for (int c = 0; c < consumers; ++c) {
      threads.emplace_back([&, c] {
        while (const std::optional<int> item = queue.pop())
          taken[static_cast<std::size_t>(c)].push_back(*item);
      });
    }
    std::vector<std::thread> pushing;
    for (int p = 0; p < producers; ++p) {
      pushing.emplace_back([&, p] {
        for (int i = 0; i < items; ++i) ASSERT_TRUE(queue.push(i * producers + p));
      });
    }
    for (std::thread& thread : pushing) thread.join();
    queue.close();
    for (std::thread& thread : threads) thread.join();

    std::vector<int> times(producers * items, 0);
    for (const auto& list : taken) {
      std::vector<int> last(producers, -1);
      for (const int item : list) {
        ++times[static_cast<std::size_t>(item)];
        int& before = last[static_cast<std::size_t>(item % producers)];
        ASSERT_GT(item, before);
        before = item;
      }
    }
    for (const int count : times) ASSERT_EQ(count, 1);
  }
}

TEST(BoundedQueue, CloseEndsWaitingOnBothSides) {
  BoundedQueue<int> empty(1), full(1);
  ASSERT_TRUE(full.try_push(1));
  std::thread popper([&] { EXPECT_FALSE(empty.pop()); });
  std::thread pusher([&] { EXPECT_FALSE(full.push(2)); });
  empty.close();
  full.close();
  popper.join();
  pusher.join();
  EXPECT_FALSE(full.try_push(3));
  EXPECT_EQ(full.pop(), 1) << "what was in the queue comes out";
  EXPECT_FALSE(full.pop());
}

TEST(BoundedQueue, PopGivesUpAtTheDeadline) {
  BoundedQueue<int> queue(1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(queue.pop(start + std::chrono::milliseconds(5)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(5));
  ASSERT_TRUE(queue.try_push(4));
  EXPECT_EQ(queue.pop(start), 4) << "an item counts more than a deadline that has passed";
}

TEST(WaitPoint, LosesNoWakeUp) {
  WaitPoint point;
  std::atomic<int> turn{0};
  constexpr int rounds = 20000;
  const auto play = [&](int me) {
    for (int i = 0; i < rounds; ++i) {
      point.wait([&] { return turn.load(std::memory_order_acquire) == me; });
      turn.store(1 - me, std::memory_order_release);
      point.notify_one();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn.load(), 0);
}

}  // namespace
}  // namespace stoker
