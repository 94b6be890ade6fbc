#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/engine/worker_pool.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace stoker::testing {
namespace {

using std::chrono::milliseconds;

/// Walks an epoch to its end, over batches that fail; returns how many did.
int failed_batches(Epoch epoch) {
  int failed = 0;
  for (;;) {
    try {
      if (!epoch.next()) return failed;
    } catch (const Error&) {
      ++failed;
    }
  }
}

TEST(LoaderStats, CountWaitsThatEndInAnErrorToo) {
  for (const int workers : {0, 2}) {
    auto producer = std::make_shared<FakeProducer>(40);
    producer->on_read = [](std::uint64_t) -> Status {
      const auto end = std::chrono::steady_clock::now() + milliseconds(1);
      while (std::chrono::steady_clock::now() < end) continue;
      return fail(ErrorCode::io_error, "bad");
    };
    Loader loader(producer, {.batch_size = 10, .num_workers = workers, .num_readers = 1});
    EXPECT_EQ(failed_batches(loader.epoch(0, true)), 4);
    const Stats stats = loader.stats();
    EXPECT_EQ(stats.batches_delivered, 0U);
    EXPECT_EQ(stats.wait.count, 4U);
    EXPECT_GE(stats.wait.total, milliseconds(30));  // 40 reads, some of the first before the wait
    EXPECT_GT(stats.starvation, 0.1);
  }
}

/// A worker that works for another loader does not wait for this one's source.
TEST(LoaderStats, SayThatNoWorkerWaitedForSamplesThatWereThere) {
  const auto pool = std::make_shared<WorkerPool>(1, WorkerPoolOptions{.own_threads = true});
  Gate gate;
  auto holding = std::make_shared<FakeProducer>(4, true);
  holding->on_produce = [&](std::uint64_t) {
    gate.pass();
    return Status{};
  };
  Loader holder(holding, {.batch_size = 1, .workers = pool});
  Loader loader(std::make_shared<FakeProducer>(40), {.batch_size = 4, .workers = pool});
  (void)holder.epoch(0, true);
  gate.wait_for_arrivals(1);
  (void)loader.epoch(0, true);
  while (loader.stats().produce.queue_depth == 0) continue;
  loader.reset_stats();
  Stats stats;
  while (stats.elapsed < milliseconds(20)) stats = loader.stats();
  EXPECT_EQ(stats.produce.blocked_on_input.count(), 0);
  EXPECT_EQ(stats.produce.busy.count(), 0);
  gate.open();
}

TEST(LoaderStats, SayThatWorkersWaitedWhereNothingWasRead) {
  Gate gate;
  auto producer = std::make_shared<FakeProducer>(40);
  producer->on_read = [&](std::uint64_t) {
    gate.pass();
    return Status{};
  };
  Loader loader(producer, {.batch_size = 4, .num_workers = 2, .num_readers = 1});
  (void)loader.epoch(0, true);
  gate.wait_for_arrivals(1);
  loader.reset_stats();
  Stats stats;
  while (stats.elapsed < milliseconds(20)) stats = loader.stats();
  EXPECT_EQ(stats.produce.blocked_on_input, 2 * stats.elapsed);
  gate.open();
}

}  // namespace
}  // namespace stoker::testing
