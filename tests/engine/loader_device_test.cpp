// The engine against the simulated device: whatever the order in which streams run, kernels see the
// batches they were given.
#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>

#include <gtest/gtest.h>

#include <random>

namespace stoker::testing {
namespace {

struct Seen {
  ExpectedBatch content;
  bool ran = false;
};

/// Queues a kernel that copies out what the batch's device memory holds when it runs.
void launch_look(SimulatedDevice& device, StreamRef stream, const Batch& batch, Seen& seen) {
  seen.content.indices.assign(batch.indices().begin(), batch.indices().end());
  const TensorView samples = batch["sample"];
  const std::size_t count = batch.size();
  device.launch(stream, [samples, count, &seen] {
    seen.content.samples.assign(fake_samples(samples), fake_samples(samples) + count);
    seen.ran = true;
  });
}

class LoaderOnADevice : public ::testing::TestWithParam<int> {};

TEST_P(LoaderOnADevice, KernelsSeeTheirBatchesHoweverLateTheyRun) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto device = std::make_shared<SimulatedDevice>(seed, SimulatedOptions{.progress = 0.1});
    std::vector<std::unique_ptr<Seen>> seen;
    std::vector<ExpectedBatch> expected;
    LoaderOptions options;
    options.batch_size = 3;
    options.num_workers = GetParam();
    options.prefetch = 2;
    options.device = device;
    options.device_prefetch = 2;
    options.stream = device->create_stream();
    options.shuffle = true;
    const StreamRef other = device->create_stream();
    {
      Loader loader(std::make_shared<FakeProducer>(20), options);
      for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
        for (Batch& batch : loader.epoch(epoch)) {
          seen.push_back(std::make_unique<Seen>());
          launch_look(*device, options.stream, batch, *seen.back());
          if (batch.number() % 2 == 0) continue;
          // A second stream, ordered behind the first by an event of the consumer's own.
          const EventRef event = device->create_event();
          device->record(event, options.stream);
          device->wait(other, event);
          batch.record_use(other);
          seen.push_back(std::make_unique<Seen>());
          launch_look(*device, other, batch, *seen.back());
          device->destroy_event(event);
        }
        for (ExpectedBatch& batch : oracle(20, options, epoch))
          expected.push_back(std::move(batch));
      }
      device->synchronize();
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t uses = 1 + i % 7 % 2; uses > 0; --uses, ++next) {
        ASSERT_TRUE(seen[next]->ran);
        ASSERT_EQ(seen[next]->content, expected[i]) << "batch " << i;
      }
    }
    ASSERT_EQ(next, seen.size());
    device->destroy_stream(options.stream);
    device->destroy_stream(other);
    EXPECT_TRUE(device->violations().empty()) << device->violations().front();
    options.device.reset();
    EXPECT_TRUE(device->leaks().none()) << device->leaks().text();
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, LoaderOnADevice, ::testing::Values(0, 1, 3));

TEST(LoaderOnADevice, ACopyThatCannotBeQueuedFailsItsBatchOnly) {
  for (const int workers : {0, 2}) {
    auto device = std::make_shared<SimulatedDevice>(1);
    LoaderOptions options;
    options.batch_size = 4;
    options.num_workers = workers;
    options.device = device;
    Loader loader(std::make_shared<FakeProducer>(16), options);
    device->fail_copy(2);
    Epoch epoch = loader.epoch(0, true);
    std::vector<std::uint64_t> delivered;
    std::size_t failed = 0;
    for (int i = 0; i < 4; ++i) {
      try {
        delivered.push_back(epoch.next()->number());
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::device_error);
        EXPECT_EQ(error.context().batch, 1U);
        ++failed;
      }
    }
    EXPECT_EQ(failed, 1U);
    EXPECT_EQ(delivered, (std::vector<std::uint64_t>{0, 2, 3}));
  }
}

TEST(LoaderOnADevice, ADeviceThatFailsIsReportedAndNothingHangs) {
  auto device = std::make_shared<SimulatedDevice>(3);
  LoaderOptions options;
  options.batch_size = 2;
  options.num_workers = 2;
  options.device = device;
  Loader loader(std::make_shared<FakeProducer>(40), options);
  device->fail_copy(3, CopyFailure::when_run);
  Epoch epoch = loader.epoch(0, true);
  std::size_t failed = 0;
  for (int i = 0; i < 20; ++i) {
    try {
      (void)epoch.next();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device_error) << error.what();
      ++failed;
    }
  }
  EXPECT_GE(failed, 1U);
}

TEST(LoaderOnADevice, MemoryThatIsNotThereIsAnErrorThatSaysHowMuch) {
  for (std::uint64_t n = 1; n <= 7; ++n) {
    auto device = std::make_shared<SimulatedDevice>(1);
    LoaderOptions options;
    options.batch_size = 4;
    options.num_workers = 1;
    options.device = device;
    device->fail_allocation(n);
    try {
      Loader loader(std::make_shared<FakeProducer>(16), options);
      FAIL() << "allocation " << n << " was not needed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
      EXPECT_NE(std::string(error.what()).find("slots of 512 bytes"), std::string::npos)
          << error.what();
    }
    options.device.reset();
    EXPECT_TRUE(device->leaks().none()) << device->leaks().text();
  }
}

TEST(LoaderOnADevice, GrowsInDeviceMemory) {
  for (const int workers : {0, 2}) {
    auto device = std::make_shared<SimulatedDevice>(5);
    LoaderOptions options;
    options.num_workers = workers;
    options.device = device;
    options.on_all_held = OnAllHeld::grow;
    {
      Loader loader(std::make_shared<FakeProducer>(8), options);
      std::vector<Batch> held;
      for (Batch& batch : loader.epoch(0, true)) held.push_back(std::move(batch));
      EXPECT_EQ(held.size(), 8U);
      EXPECT_EQ(loader.stats().slots_grown, 8U - options.device_prefetch);
    }
    options.device.reset();
    EXPECT_TRUE(device->leaks().none()) << device->leaks().text();
  }
}

}  // namespace
}  // namespace stoker::testing
