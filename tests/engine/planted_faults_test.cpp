// The engine on a simulated device that plays false: faults are planted behind the Device and
// BatchStream interfaces, and the checks that pass on the protocol as it is must fail with each.
#include "src/engine/prefetcher.hpp"
#include "tests/engine/fake_producer.hpp"
#include "tests/engine/faulty_device.hpp"
#include "tests/engine/oracle.hpp"
#include "tests/engine/walk_photos.hpp"
#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace stoker::testing {
namespace {

/// What kernels saw of a batch.
struct Look {
  ExpectedBatch content;
  bool ran = false;
};

LoaderOptions options_on(DevicePtr device, StreamRef stream, int workers) {
  LoaderOptions options;
  options.batch_size = 3;
  options.num_workers = workers;
  options.prefetch = 2;
  options.device = std::move(device);
  options.device_prefetch = 2;
  options.stream = stream;
  options.shuffle = true;
  return options;
}

/// Runs two epochs of 7 batches; returns how many kernels saw anything but their batch.
std::size_t wrong_looks(std::uint64_t seed, int workers, Fault fault) {
  auto device = std::make_shared<SimulatedDevice>(seed, SimulatedOptions{.progress = 0.1});
  device->on_destruction([](const SimulatedReport&) {});  // a planted fault leaves its traces
  const StreamRef stream = device->create_stream();
  const LoaderOptions options =
      options_on(std::make_shared<FaultyDevice>(device, fault), stream, workers);
  std::vector<std::unique_ptr<Look>> looks;
  std::vector<ExpectedBatch> expected;
  {
    Loader loader(std::make_shared<FakeProducer>(20), options);
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      for (Batch& batch : loader.epoch(epoch, epoch == 1)) {
        Look& look = *looks.emplace_back(std::make_unique<Look>());
        look.content.indices.assign(batch.indices().begin(), batch.indices().end());
        device->launch(stream, [samples = batch["sample"], count = batch.size(), &look] {
          look.content.samples.assign(fake_samples(samples), fake_samples(samples) + count);
          look.ran = true;
        });
      }
      for (ExpectedBatch& batch : oracle(20, options, epoch)) expected.push_back(std::move(batch));
    }
    device->synchronize();
  }
  device->destroy_stream(stream);
  EXPECT_EQ(looks.size(), expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    EXPECT_TRUE(looks[i]->ran);
    wrong += looks[i]->content == expected[i] ? 0 : 1;
  }
  if (fault == Fault::none) {
    EXPECT_TRUE(device->violations().empty()) << device->violations().front();
  }
  return wrong;
}

std::size_t seeds_with_wrong_looks(int workers, Fault fault) {
  std::size_t seeds = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    seeds += wrong_looks(seed, workers, fault) == 0 ? 0 : 1;
  }
  return seeds;
}

class PlantedFaults : public ::testing::TestWithParam<int> {};

TEST_P(PlantedFaults, AreNotSeenWhereNoneIs) {
  EXPECT_EQ(seeds_with_wrong_looks(GetParam(), Fault::none), 0U);
}

TEST_P(PlantedFaults, AReleaseEventThatTheCopyDoesNotWaitForIsSeen) {
  EXPECT_GE(seeds_with_wrong_looks(GetParam(), Fault::release_event_dropped), 1U);
}

// Without workers the thread that copies waits for the device slot too before it fills anything.
TEST(PlantedFaults, AHostSlotThatIsFreeBeforeItsCopyIsDoneIsSeen) {
  for (const int workers : {1, 3}) {
    EXPECT_GE(seeds_with_wrong_looks(workers, Fault::host_slot_free_at_issue), 1U);
  }
}

/// Walks an epoch of photos that the device finishes, each batch asked for only once its arrival
/// was noted.
Seen walk_arrived_photos(std::uint64_t seed, Fault fault) {
  const MemorySource source = photos();
  const auto device = simulated(seed, {.progress = 0.1});
  device->on_destruction([](const SimulatedReport&) {});  // a planted fault leaves its traces
  const auto faulty = std::make_shared<FaultyDevice>(device, fault);
  const StreamRef stream = device->create_stream();
  LoaderOptions options{.batch_size = 2, .num_workers = 1, .device = faulty, .stream = stream};
  options.finish = FinishOn::device;
  Seen seen;
  {
    Loader loader(source, Pipeline::parse("decode | resize([9, 8])"), options);
    Epoch epoch = loader.epoch(0, true);
    for (std::size_t i = 0; i < epoch.size(); ++i) {
      while (faulty->arrivals() <= i) std::this_thread::yield();
      const Batch batch = epoch.next().value();
      device->launch(stream, [images = batch["image"], &seen] {
        const auto* first = images.as<std::byte>();
        seen.images.insert(seen.images.end(), first, first + images.bytes());
      });
    }
    device->synchronize();
  }
  device->destroy_stream(stream);
  return seen;
}

// The copy itself has been waited for by then, but not what the device does behind it.
TEST(PlantedFaults, AnArrivalThatIsNotedBeforeItHappensIsSeen) {
  const Seen expected = walk_arrived_photos(0, Fault::none);
  std::size_t wrong = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    EXPECT_EQ(walk_arrived_photos(seed, Fault::none), expected);
    wrong += walk_arrived_photos(seed, Fault::arrival_noted_at_issue) == expected ? 0 : 1;
  }
  EXPECT_GE(wrong, 1U);
}

INSTANTIATE_TEST_SUITE_P(Workers, PlantedFaults, ::testing::Values(0, 1, 3));

TEST(PlantedFaults, NoStreamWaitsForWhatWasSeenToArrive) {
  const auto device = simulated(1);
  const auto watched = std::make_shared<FaultyDevice>(device, Fault::none);
  const StreamRef stream = device->create_stream();
  {
    // Without workers the copies are waited for where the batch is asked for.
    Loader loader(std::make_shared<FakeProducer>(20), options_on(watched, stream, 0));
    for (const Batch& batch : loader.epoch(0, true)) static_cast<void>(batch);
    EXPECT_EQ(loader.stats().batches_delivered, 7U);
  }
  EXPECT_EQ(watched->waits_of_others(), 0U);
  device->destroy_stream(stream);
}

// ---- a lost wake-up

/// How a batch is handed over.
enum class HandOver : std::uint8_t { change_then_notify, notify_then_change, change_alone };

/// When a half of the hand-over happens, seen from the thread that waits.
enum class Moment : std::uint8_t { before_the_first_look, between_the_looks, asleep };

/// Hands one batch to whoever waits for it, through a wait point as the queues do, each half of the
/// hand-over at the moment that it is told. A thread looks once before it counts as a sleeper, and
/// once with the mutex, which it keeps until it sleeps.
class ScriptedStream final : public BatchStream {
 public:
  ScriptedStream(Slot& slot, HandOver way, Moment first_half, Moment second_half)
      : slot_(slot), way_(way), moments_{first_half, second_half} {}

  Slot* try_next() override { return nullptr; }
  Slot* next(Deadline) override {
    if (std::exchange(asked_, true)) return nullptr;  // the one batch was delivered
    int looks = 0;
    play(Moment::before_the_first_look);
    point_.wait([&] {
      const bool found = there_.load() || closed_.load();
      if (++looks == 1 && !found) play(Moment::between_the_looks);
      if (looks == 2 && !found) going_to_sleep_.open();
      return found;
    });
    played_.open();
    return closed_.load() ? nullptr : &slot_;
  }

  /// Plays, on a thread of its own, what is to happen while the other thread sleeps: the mutex lets
  /// nobody notify it before it does.
  void play_asleep() {
    if (moments_[1] != Moment::asleep) return;
    going_to_sleep_.pass();
    play(Moment::asleep);
    played_.open();
  }
  /// Waits until the batch was found, or nothing more is done to let it be.
  void wait_until_played() { played_.pass(); }
  void close() {
    closed_.store(true);
    going_to_sleep_.open();
    point_.notify_all();
  }

 private:
  void play(Moment now) {
    for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
      if (moments_[half] != now) continue;
      const bool changes = (half == 0) == (way_ != HandOver::notify_then_change);
      if (changes) {
        there_.store(true);
      } else if (way_ != HandOver::change_alone) {
        point_.notify_one();
      }
    }
  }

  Slot& slot_;
  HandOver way_;
  std::array<Moment, 2> moments_;
  WaitPoint point_;
  Gate going_to_sleep_;
  Gate played_;
  std::atomic<bool> there_{false};
  std::atomic<bool> closed_{false};
  bool asked_ = false;
};

SlotLayout one_number() { return SlotLayout({{"a", DType::int64, Shape{}}}, 1); }

/// Returns whether a batch that is handed to the prefetcher in this way comes out of it, and
/// reaches the device.
bool arrives(HandOver way, Moment first_half, Moment second_half,
             std::chrono::milliseconds patience) {
  auto device = std::make_shared<SimulatedDevice>(1);
  const StreamRef stream = device->create_stream();
  bool arrived = false;
  {
    SlotRing host(device, one_number(), SlotRing::Place::host, 1);
    SlotRing ring(device, one_number(), SlotRing::Place::device, 1);
    Slot& slot = *host.take();
    slot.state.move(SlotState::free, SlotState::filling);
    constexpr std::int64_t number = 12345;
    std::memcpy(slot.memory, &number, sizeof number);
    slot.info.count = 1;
    slot.state.move(SlotState::filling, SlotState::full);
    ScriptedStream upstream(slot, way, first_half, second_half);
    EngineCounters counters;
    const DeviceTransfer transfer(device, host.layout(), ring.layout(), nullptr);
    Prefetcher prefetcher({upstream, host, ring, counters, transfer, 1, true});
    std::thread waker([&] { upstream.play_asleep(); });
    upstream.wait_until_played();
    Slot* ready = prefetcher.next(std::chrono::steady_clock::now() + patience);
    upstream.close();
    waker.join();
    if (ready != nullptr) {
      device->wait(stream, ready->copied);
      device->launch(stream, [ready, &arrived, number] {
        arrived = std::memcmp(ready->memory, &number, sizeof number) == 0;
      });
      device->synchronize();
    }
  }
  device->destroy_stream(stream);
  return arrived;
}

constexpr std::chrono::milliseconds for_ever{60'000};
constexpr std::chrono::milliseconds a_while{50};

TEST(PlantedFaults, NoWakeUpIsLostWheneverTheHandOverHappens) {
  using enum Moment;
  const std::array moments{before_the_first_look, between_the_looks, asleep};
  for (const Moment first : moments) {
    for (const Moment second : moments) {
      if (second < first) continue;
      EXPECT_TRUE(arrives(HandOver::change_then_notify, first, second, for_ever));
    }
  }
}

TEST(PlantedFaults, AWakeUpBeforeTheChangeIsLost) {
  EXPECT_FALSE(arrives(HandOver::notify_then_change, Moment::before_the_first_look, Moment::asleep,
                       a_while));
  EXPECT_FALSE(
      arrives(HandOver::notify_then_change, Moment::between_the_looks, Moment::asleep, a_while));
}

TEST(PlantedFaults, AMissingWakeUpIsSeen) {
  EXPECT_FALSE(arrives(HandOver::change_alone, Moment::asleep, Moment::asleep, a_while));
}

}  // namespace
}  // namespace stoker::testing
