#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace stoker::testing {
namespace {

/// Destroys loaders in random states: slots free, filling, full, held; reads and transforms queued
/// or running; epochs finished, left early, cancelled; batches outliving the loader.
void destroy_many(int times, std::uint32_t seed, bool with_device) {
  std::mt19937 random(seed);
  for (int round = 0; round < times; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    std::shared_ptr<SimulatedDevice> device;
    LoaderOptions options;
    options.batch_size = 1 + random() % 5;
    options.num_workers = static_cast<int>(random() % 4);
    options.num_readers = 1 + static_cast<int>(random() % 3);
    options.prefetch = 1 + random() % 4;
    options.shuffle = random() % 2 == 0;
    options.delivery = random() % 4 == 0 ? Delivery::as_completed : Delivery::in_order;
    options.on_error = random() % 2 == 0 ? OnError::fail : OnError::skip;
    options.timeout = std::chrono::milliseconds(0);
    options.on_all_held = OnAllHeld::grow;
    SimulatedReport report;
    if (with_device) {
      device = std::make_shared<SimulatedDevice>(random());
      device->on_destruction([&](const SimulatedReport& seen) { report = seen; });
      options.device = device;
      options.stream = device->create_stream();
    }
    auto producer = std::make_shared<FakeProducer>(1 + random() % 40, random() % 2 == 0);
    const std::uint64_t bad = random() % 60;
    producer->on_read = [bad](std::uint64_t index) -> Status {
      if (index == bad) return fail(ErrorCode::io_error, "bad");
      return {};
    };
    std::vector<Batch> held;
    {
      Loader loader(producer, options);
      const int epochs = static_cast<int>(random() % 3);
      for (int e = 0; e < epochs; ++e) {
        Epoch epoch = loader.epoch(random() % 3, random() % 4 == 0);
        const std::size_t steps = random() % 12;
        for (std::size_t i = 0; i < steps; ++i) {
          try {
            std::optional<Batch> batch = epoch.next();
            if (!batch) break;
            if (random() % 4 == 0) held.push_back(std::move(*batch));
          } catch (const Error& error) {
            ASSERT_EQ(error.code(), ErrorCode::io_error) << error.what();
          }
        }
      }
    }
    held.clear();
    if (device) {
      const StreamRef stream = options.stream;
      options.device.reset();
      device->destroy_stream(stream);
      device.reset();
      ASSERT_TRUE(report.leaks.none()) << report.leaks.text();
      ASSERT_TRUE(report.violations.empty()) << report.violations.front();
    }
  }
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int rounds = 300;  // each is 10 to 50 times slower there
#else
constexpr int rounds = 2000;
#endif

std::uint32_t seed() {
  return static_cast<std::uint32_t>(::testing::UnitTest::GetInstance()->random_seed()) + 1;
}

TEST(LoaderDestruction, IsSafeInAnyStateOnTheHost) { destroy_many(rounds, seed(), false); }

TEST(LoaderDestruction, IsSafeInAnyStateOnADevice) { destroy_many(rounds, seed(), true); }

TEST(LoaderDestruction, WaitsForARunningReadAndForNoQueuedOne) {
  for (const bool reading : {true, false}) {
    auto producer = std::make_shared<FakeProducer>(100);
    Gate gate;
    std::atomic<int> calls{0};
    (reading ? producer->on_read : producer->on_produce) = [&](std::uint64_t) {
      ++calls;
      gate.pass();
      return Status{};
    };
    LoaderOptions options;
    options.num_workers = 1;
    options.num_readers = 1;
    std::thread opener;
    {
      Loader loader(producer, options);
      (void)loader.epoch(0);
      gate.wait_for_arrivals(1);
      opener = std::thread([&] { gate.open(); });
    }
    opener.join();
    EXPECT_LE(calls.load(), 8);  // those that were with a reader or worker, not the hundred
  }
}

TEST(LoaderDestruction, LeavesHeldBatchesValid) {
  LoaderOptions options;
  options.batch_size = 3;
  options.num_workers = 2;
  const auto expected = oracle(9, options, 0);
  std::optional<Batch> last;
  {
    Loader loader(std::make_shared<FakeProducer>(9), options);
    Epoch epoch = loader.epoch(0);
    for (int i = 0; i < 3; ++i) last = epoch.next();
  }
  EXPECT_EQ(content(*last), expected[2]);
}

}  // namespace
}  // namespace stoker::testing
