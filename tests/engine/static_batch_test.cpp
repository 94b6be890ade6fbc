// Batches at a fixed address: whatever is late, kernels see the batches they were given.
#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include "tests/error_of.hpp"
#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/bucket_batch_sampler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace stoker::testing {
namespace {

/// What a kernel saw when it ran.
struct Look {
  std::vector<std::byte> samples;
  std::vector<std::byte> bytes;
};

std::vector<std::byte> copy_of(const TensorView& view) {
  const auto* first = view.as<std::byte>();
  return {first, first + view.bytes()};
}

LoaderOptions static_options(DevicePtr device = {}, StreamRef stream = {}, int workers = 2) {
  LoaderOptions options;
  options.batch_size = 3;
  options.num_workers = workers;
  options.prefetch = 2;
  options.device = std::move(device);
  options.stream = stream;
  options.static_batch = true;
  return options;
}

ExpectedBatch without_padding(const Look& look, const std::vector<std::uint64_t>& indices) {
  ExpectedBatch batch{indices, {}};
  const auto* samples = reinterpret_cast<const FakeSample*>(look.samples.data());
  batch.samples.assign(samples, samples + indices.size());
  return batch;
}

/// Queues a kernel that sees what the batch's memory holds when it runs.
void launch_look(SimulatedDevice& device, StreamRef stream, const Batch& batch, Look& look) {
  device.launch(stream, [samples = batch["sample"], bytes = batch["bytes"], &look] {
    look = {copy_of(samples), copy_of(bytes)};
  });
}

class StaticBatch : public ::testing::TestWithParam<int> {};

TEST_P(StaticBatch, LiesAtOneAddressAndKernelsSeeTheirBatch) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto device = simulated(seed, {.progress = 0.1});
    LoaderOptions options = static_options(device, device->create_stream(), GetParam());
    const StreamRef other = device->create_stream();
    const auto event = device->create_event();
    std::vector<std::unique_ptr<Look>> looks;
    std::vector<std::vector<std::uint64_t>> indices;
    const void* address = nullptr;
    {
      Loader loader(std::make_shared<FakeProducer>(14), options);
      for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
        for (Batch& batch : loader.epoch(epoch)) {
          ASSERT_EQ(batch.size(), 3U);
          if (address == nullptr) address = batch["sample"].data;
          ASSERT_EQ(batch["sample"].data, address);
          looks.push_back(std::make_unique<Look>());
          indices.emplace_back(batch.indices().begin(), batch.indices().end());
          indices.back().resize(
              static_cast<std::size_t>(std::ranges::count(batch.valid(), std::uint8_t{1})));
          StreamRef stream = options.stream;
          if (batch.number() % 2 == 0) {
            device->record(event, options.stream);
            device->wait(other, event);
            batch.record_use(other);
            stream = other;
          }
          launch_look(*device, stream, batch, *looks.back());
        }
      }
      device->synchronize();
    }
    std::size_t i = 0;
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      for (const ExpectedBatch& expected : oracle(14, options, epoch)) {
        ASSERT_EQ(without_padding(*looks[i], indices[i]), expected) << "seed " << seed;
        ++i;
      }
    }
    ASSERT_EQ(i, looks.size());
    device->destroy_event(event);
    device->destroy_stream(other);
    device->destroy_stream(options.stream);
    EXPECT_TRUE(device->violations().empty()) << device->violations().front();
    EXPECT_EQ(device->leaks().text(), "nothing");
  }
}

// Nothing but the loader orders the two streams: the second one's copy must wait for the first
// one's kernel.
TEST_P(StaticBatch, IsReadyOnWhicheverStreamItWasAskedForOn) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto device = simulated(seed, {.progress = 0.1});
    const std::array streams{device->create_stream(), device->create_stream()};
    const LoaderOptions options = static_options(device, streams[0], GetParam());
    const std::vector<ExpectedBatch> expected = oracle(24, options, 0);
    std::vector<Look> looks(expected.size());
    {
      Loader loader(std::make_shared<FakeProducer>(24), options);
      Epoch epoch = loader.epoch(0, true);
      for (std::size_t i = 0; i < looks.size(); ++i) {
        const Batch batch = epoch.next(streams[i % 2]).value();
        launch_look(*device, streams[i % 2], batch, looks[i]);
      }
      device->synchronize();
    }
    for (std::size_t i = 0; i < looks.size(); ++i) {
      ASSERT_EQ(without_padding(looks[i], expected[i].indices), expected[i]) << "seed " << seed;
    }
    for (const StreamRef stream : streams) device->destroy_stream(stream);
    EXPECT_TRUE(device->violations().empty()) << device->violations().front();
  }
}

TEST_P(StaticBatch, FillsTheLastOneUpWithMaskedZeros) {
  for (const bool on_device : {false, true}) {
    const std::shared_ptr<SimulatedDevice> device = on_device ? simulated(3) : nullptr;
    const StreamRef stream = device ? device->create_stream() : StreamRef{};
    Look look;
    std::vector<std::uint8_t> valid;
    {
      Loader loader(std::make_shared<FakeProducer>(7), static_options(device, stream, GetParam()));
      Epoch epoch = loader.epoch(0, true);
      for (int i = 0; i < 2; ++i) epoch.next();
      const Batch last = epoch.next().value();
      ASSERT_EQ(last.size(), 3U);
      EXPECT_EQ(last.indices()[1], last.indices()[0]) << "an index that the source has";
      EXPECT_EQ(last.name(2), "fake/6");
      valid.assign(last.valid().begin(), last.valid().end());
      const TensorView samples = last["sample"], bytes = last["bytes"];
      const auto see = [&, samples, bytes] { look = {copy_of(samples), copy_of(bytes)}; };
      if (device) {
        device->launch(stream, see);
        device->synchronize();
      } else {
        see();
      }
      EXPECT_FALSE(epoch.next().has_value() && last.size() != 0);
    }
    if (device) device->destroy_stream(stream);
    EXPECT_EQ(valid, (std::vector<std::uint8_t>{1, 0, 0}));
    const std::size_t sample = look.samples.size() / 3, bytes = look.bytes.size() / 3;
    EXPECT_TRUE(std::all_of(look.samples.begin() + static_cast<std::ptrdiff_t>(sample),
                            look.samples.end(), [](std::byte b) { return b == std::byte{0}; }));
    EXPECT_TRUE(std::all_of(look.bytes.begin() + static_cast<std::ptrdiff_t>(bytes),
                            look.bytes.end(), [](std::byte b) { return b == std::byte{0}; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, StaticBatch, ::testing::Values(0, 1, 3));

TEST(StaticBatch, IsRefusedWhileTheOneBeforeIsHeld) {
  for (const bool on_device : {false, true}) {
    Loader loader(std::make_shared<FakeProducer>(9),
                  static_options(on_device ? simulated(1) : nullptr));
    Epoch epoch = loader.epoch(0, true);
    std::optional<Batch> first = epoch.next();
    try {
      epoch.next();
      FAIL() << "two batches at one address";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_state);
      EXPECT_NE(error.message().find("release it first"), std::string::npos);
    }
    EXPECT_EQ(first->indices()[0], 0U) << "it is still whole";
    first.reset();
    EXPECT_EQ(epoch.next().value().indices()[0], 3U) << "nothing was lost";
  }
}

TEST(StaticBatch, CountsSamplesAndNotPadding) {
  Loader loader(std::make_shared<FakeProducer>(10), static_options());
  for (const Batch& batch : loader.epoch(0, true)) static_cast<void>(batch);
  EXPECT_EQ(loader.stats().samples_delivered, 10U);
  EXPECT_EQ(loader.stats().samples_skipped, 0U);
  EXPECT_EQ(loader.stats().batches_delivered, 4U);
}

TEST(StaticBatch, IsAsLargeAsAskedForWhereTheSourceIsSmaller) {
  LoaderOptions options = static_options();
  options.batch_size = 8;
  Loader loader(std::make_shared<FakeProducer>(5), options);
  Epoch epoch = loader.epoch(0, true);
  const Batch batch = epoch.next().value();
  EXPECT_EQ(batch.size(), 8U);
  EXPECT_EQ(std::ranges::count(batch.valid(), std::uint8_t{1}), 5);
}

TEST(StaticBatch, LeavesOutAPartOfABatchWhereAsked) {
  LoaderOptions options = static_options();
  options.drop_last = true;
  Loader loader(std::make_shared<FakeProducer>(8), options);
  std::uint64_t batches = 0;
  for (const Batch& batch : loader.epoch(0, true)) {
    EXPECT_EQ(std::ranges::count(batch.valid(), std::uint8_t{1}), 3);
    ++batches;
  }
  EXPECT_EQ(batches, 2U);
}

TEST(StaticBatch, GoesOnBehindABatchThatFailed) {
  const auto producer = std::make_shared<FakeProducer>(9);
  producer->on_produce = [](std::uint64_t index) -> Status {
    if (index == 4) return fail(ErrorCode::corrupt, "sample 4 is damaged");
    return {};
  };
  const auto device = simulated(5);
  Loader loader(producer, static_options(device));
  Epoch epoch = loader.epoch(0, true);
  EXPECT_EQ(epoch.next().value().indices()[0], 0U);
  EXPECT_THROW(epoch.next(), Error);
  EXPECT_EQ(epoch.next().value().indices()[0], 6U);
}

// The copy that cannot be queued is the one to the fixed address, behind the batch's own. The next
// batch is asked for on another stream: its copy waits for the first one's kernel all the same.
TEST(StaticBatch, GoesOnBehindACopyThatCouldNotBeQueued) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto device = simulated(seed, {.progress = 0.1});
    const std::array streams{device->create_stream(), device->create_stream()};
    const LoaderOptions options = static_options(device, streams[0], 0);
    const std::vector<ExpectedBatch> expected = oracle(9, options, 0);
    Look first, last;
    {
      Loader loader(std::make_shared<FakeProducer>(9), options);
      Epoch epoch = loader.epoch(0, true);
      launch_look(*device, streams[0], epoch.next().value(), first);
      device->fail_copy(2);
      error_of([&] { epoch.next(); }, ErrorCode::device_error);
      launch_look(*device, streams[1], epoch.next(streams[1]).value(), last);
      device->synchronize();
    }
    ASSERT_EQ(without_padding(first, expected[0].indices), expected[0]) << "seed " << seed;
    ASSERT_EQ(without_padding(last, expected[2].indices), expected[2]) << "seed " << seed;
    for (const StreamRef stream : streams) device->destroy_stream(stream);
    EXPECT_TRUE(device->violations().empty()) << device->violations().front();
    EXPECT_EQ(device->leaks().text(), "nothing");
  }
}

TEST(StaticBatch, OutlivesItsLoader) {
  const auto device = simulated(2);
  std::optional<Batch> batch;
  {
    Loader loader(std::make_shared<FakeProducer>(9), static_options(device));
    batch = loader.epoch(0, true).next();
  }
  EXPECT_EQ(batch->indices()[2], 2U);
  batch.reset();
  device->synchronize();
  EXPECT_EQ(device->leaks().text(), "nothing");
}

}  // namespace
}  // namespace stoker::testing
