// Batches that are assigned by the thread that releases a slot, in the scheduler's place.

#include "src/engine/turn.hpp"
#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/sampler.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stoker::testing {
namespace {

/// Samples in order; notes on which threads orders are built and read.
class WatchedSampler final : public Sampler {
 public:
  explicit WatchedSampler(std::uint64_t size) : size_(size) {}

  std::function<void()> on_read = [] {};

  std::uint64_t size() const override { return size_; }
  std::string text() const override { return "watched"; }
  std::shared_ptr<const stoker::Order> order(std::uint64_t, std::uint64_t) const override {
    note(builders_);
    return std::make_shared<Order>(*this);
  }
  std::set<std::thread::id> builders() const { return copy_of(builders_); }
  std::set<std::thread::id> readers() const { return copy_of(readers_); }

 private:
  class Order final : public stoker::Order {
   public:
    explicit Order(const WatchedSampler& sampler) : sampler_(sampler) {}
    std::uint64_t size() const override { return sampler_.size_; }
    void read(std::uint64_t first, std::uint64_t stride,
              std::span<std::uint64_t> out) const override {
      sampler_.note(sampler_.readers_);
      sampler_.on_read();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = first + i * stride;
    }

   private:
    const WatchedSampler& sampler_;
  };
  using Threads = std::set<std::thread::id>;

  void note(Threads& threads) const {
    const std::lock_guard lock(mutex_);
    threads.insert(std::this_thread::get_id());
  }
  Threads copy_of(const Threads& threads) const {
    const std::lock_guard lock(mutex_);
    return threads;
  }

  std::uint64_t size_;
  mutable std::mutex mutex_;
  mutable Threads builders_, readers_;
};

LoaderOptions small_batches(std::size_t prefetch = 2) {
  LoaderOptions options;
  options.batch_size = 4;
  options.num_workers = 2;
  options.prefetch = prefetch;
  options.timeout = std::chrono::milliseconds(0);
  options.on_all_held = OnAllHeld::grow;
  return options;
}

/// Walks epochs of a loader over samples in memory; each batch must be the oracle's.
void walk(Loader& loader, std::uint64_t size, const LoaderOptions& options, int epochs) {
  for (int e = 0; e < epochs; ++e) {
    const auto number = static_cast<std::uint64_t>(e);
    const auto expected = oracle(size, options, number);
    std::size_t step = 0;
    for (Batch& batch : loader.epoch(number)) ASSERT_EQ(content(batch), expected[step++]);
    ASSERT_EQ(step, expected.size());
  }
}

LoaderOptions with_sampler(LoaderOptions options, std::shared_ptr<const Sampler> sampler) {
  options.sampler = std::move(sampler);
  options.shuffle = false;
  return options;
}

TEST(InPlaceScheduling, IsDoneByTheThreadThatReleasesASlot) {
  const auto sampler = std::make_shared<WatchedSampler>(4000);
  const LoaderOptions options = with_sampler(small_batches(), sampler);
  Loader loader(std::make_shared<FakeProducer>(4000, true), options);
  walk(loader, 4000, options, 3);
  EXPECT_EQ(sampler->readers().count(std::this_thread::get_id()), 1U);
  EXPECT_EQ(sampler->builders().count(std::this_thread::get_id()), 0U);
}

TEST(InPlaceScheduling, IsLeftToTheSchedulerWhereChoosingSamplesTakesLong) {
  const auto sampler = std::make_shared<WatchedSampler>(400);
  sampler->on_read = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  const LoaderOptions options = with_sampler(small_batches(), sampler);
  Loader loader(std::make_shared<FakeProducer>(400, true), options);
  walk(loader, 400, options, 3);
  EXPECT_EQ(sampler->readers().count(std::this_thread::get_id()), 0U);
}

TEST(InPlaceScheduling, IsLeftToTheSchedulerWhereABatchIsMoreThanOneTask) {
  const auto sampler = std::make_shared<WatchedSampler>(200);
  auto producer = std::make_shared<FakeProducer>(200, true);
  producer->on_produce = [](std::uint64_t) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < end) {
    }
    return Status{};
  };
  const LoaderOptions options = with_sampler(small_batches(), sampler);
  Loader loader(producer, options);
  walk(loader, 200, options, 2);
  EXPECT_EQ(sampler->readers().count(std::this_thread::get_id()), 0U);
}

TEST(InPlaceScheduling, IsLeftToTheSchedulerWhereThereAreReaders) {
  const auto sampler = std::make_shared<WatchedSampler>(400);
  const LoaderOptions options = with_sampler(small_batches(), sampler);
  Loader loader(std::make_shared<FakeProducer>(400, false), options);
  walk(loader, 400, options, 2);
  EXPECT_EQ(sampler->readers().count(std::this_thread::get_id()), 0U);
}

TEST(InPlaceScheduling, IsNotDoneByAWorkerThatReleasesABatch) {
  const auto sampler = std::make_shared<WatchedSampler>(4000);
  const LoaderOptions options = with_sampler(small_batches(), sampler);
  Loader inner(std::make_shared<FakeProducer>(4000, true), options);
  Epoch inner_epoch = inner.epoch(0);
  std::mutex mutex;
  std::set<std::thread::id> workers;
  auto producer = std::make_shared<FakeProducer>(999, true);
  producer->on_produce = [&](std::uint64_t) {
    const std::lock_guard lock(mutex);
    workers.insert(std::this_thread::get_id());
    return inner_epoch.next() ? Status{} : fail(ErrorCode::io_error, "too early an end");
  };
  Loader outer(producer, small_batches());
  std::size_t batches = 0;
  for (const Batch& batch : outer.epoch(0, true)) batches += batch.size() > 0 ? 1 : 0;
  EXPECT_EQ(batches, 250U);
  EXPECT_FALSE(workers.empty());
  for (const std::thread::id reader : sampler->readers()) EXPECT_EQ(workers.count(reader), 0U);
}

/// A batch that is dropped where its own loader's batches are assigned must not wait for that.
TEST(InPlaceScheduling, MayBeInterruptedByTheReleaseOfAnotherBatch) {
  const auto sampler = std::make_shared<WatchedSampler>(4000);
  const LoaderOptions options = with_sampler(small_batches(4), sampler);
  std::mutex mutex;
  std::optional<Batch> kept;
  sampler->on_read = [&] {
    const std::lock_guard lock(mutex);
    kept.reset();
  };
  Loader loader(std::make_shared<FakeProducer>(4000, true), options);
  const auto expected = oracle(4000, options, 0);
  Epoch epoch = loader.epoch(0);
  for (std::size_t step = 0; step < expected.size(); ++step) {
    std::optional<Batch> batch = epoch.next();
    ASSERT_EQ(content(*batch), expected[step]);
    if (step % 3 != 0) continue;
    const std::lock_guard lock(mutex);
    if (!kept) kept = std::move(batch);
  }
}

/// Threads that drop what they are given.
class Releasers {
 public:
  explicit Releasers(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { release(); });
  }
  ~Releasers() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  Releasers(const Releasers&) = delete;
  Releasers& operator=(const Releasers&) = delete;

  void give(Batch batch) {
    const std::lock_guard lock(mutex_);
    given_.push_back(std::move(batch));
    changed_.notify_one();
  }

 private:
  void release() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return done_ || !given_.empty(); });
      if (given_.empty()) return;
      const Batch mine = std::move(given_.back());
      given_.pop_back();
      lock.unlock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Batch> given_;
  bool done_ = false;
  std::vector<std::jthread> threads_;  // first to go
};

/// Batches go back on threads of their own while epochs are left early and the loader ends.
TEST(InPlaceScheduling, GoesOnWhileEpochsAreCancelledAndLoadersEnd) {
  std::mt19937 random(
      static_cast<std::uint32_t>(::testing::UnitTest::GetInstance()->random_seed()) + 1);
  for (std::uint64_t round = 0; round < 60; ++round) {
    LoaderOptions options = small_batches(1 + random() % 4);
    options.shuffle = true;
    options.seed = round;
    Releasers releasers(2);
    Loader loader(std::make_shared<FakeProducer>(301, true), options);
    for (const std::uint64_t number : {0, 1, 5, 5, 6}) {
      const auto expected = oracle(301, options, number);
      const std::size_t steps = random() % 2 == 0 ? expected.size() : random() % expected.size();
      Epoch epoch = loader.epoch(number);
      for (std::size_t step = 0; step < steps; ++step) {
        std::optional<Batch> batch = epoch.next();
        ASSERT_TRUE(batch);
        ASSERT_EQ(content(*batch), expected[step]);
        releasers.give(std::move(*batch));
      }
    }
  }
}

TEST(Turn, IsTakenByOneAtATime) {
  Turn turn;
  int count = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        const std::lock_guard lock(turn);
        ++count;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 4000);
}

TEST(Turn, IsRefusedToWhoHasIt) {
  Turn turn;
  turn.lock();
  EXPECT_FALSE(turn.try_lock());
  turn.unlock();
  EXPECT_TRUE(turn.try_lock());
  turn.unlock();
}

}  // namespace
}  // namespace stoker::testing
