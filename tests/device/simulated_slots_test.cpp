// Plays the engine's slot protocol on the simulated device: right, it never shows wrong data; with
// any one of its waits left out, it does. That is what makes the device worth its name.
#include <stoker/device/simulated.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace stoker {
namespace {

constexpr std::size_t slot_bytes = 64;

bool all_are(const unsigned char* memory, unsigned char value) {
  return std::all_of(memory, memory + slot_bytes, [&](unsigned char c) { return c == value; });
}

enum class Omitted {
  nothing,
  copy_done_before_host_reuse,   // the host overwrites what a copy has not read yet
  ready_before_use,              // the consumer does not wait for the copy
  released_before_device_reuse,  // the copy does not wait for the consumer
};

/// One host slot and two device slots between a producer and a consumer's stream.
class SlotProtocol {
 public:
  explicit SlotProtocol(std::uint64_t seed, SimulatedOptions options = {})
      : device(seed, options), host(bytes_of(device.allocate_host(slot_bytes))) {
    device.on_destruction([](const SimulatedReport&) {});  // the tests look themselves
    host_free = device.create_event();
    for (DeviceSlot& slot : slots)
      slot = {bytes_of(device.allocate_device(slot_bytes)), device.create_event(),
              device.create_event()};
    copying = device.create_stream();
    consuming = device.create_stream();
  }
  ~SlotProtocol() {
    device.destroy_stream(copying);
    device.destroy_stream(consuming);
    for (const DeviceSlot& slot : slots) {
      device.free_device(slot.memory, slot_bytes);
      device.destroy_event(slot.ready);
      device.destroy_event(slot.released);
    }
    device.destroy_event(host_free);
    device.free_host(host, slot_bytes);
    EXPECT_EQ(device.leaks().text(), "nothing");
  }

  void produce(std::size_t batch, Omitted omitted = Omitted::nothing) {
    DeviceSlot& slot = slots[batch % slots.size()];
    if (omitted != Omitted::copy_done_before_host_reuse) device.synchronize(host_free);
    device.on_reuse(host, slot_bytes);
    std::memset(host, value_of(batch), slot_bytes);
    if (omitted != Omitted::released_before_device_reuse) device.wait(copying, slot.released);
    device.copy_to_device(slot.memory, host, slot_bytes, copying);
    device.record(slot.ready, copying);
    device.record(host_free, copying);
  }
  void consume(std::size_t batch, Omitted omitted = Omitted::nothing) {
    DeviceSlot& slot = slots[batch % slots.size()];
    if (omitted != Omitted::ready_before_use) device.wait(consuming, slot.ready);
    device.launch(consuming, [this, &slot, batch] {
      ++used;
      if (!all_are(slot.memory, value_of(batch))) ++wrong;
    });
    device.record(slot.released, consuming);
  }

  SimulatedDevice device;
  std::size_t used = 0;  // kernels run under the device's lock
  std::size_t wrong = 0;

 private:
  struct DeviceSlot {
    unsigned char* memory;
    EventRef ready;
    EventRef released;
  };
  static unsigned char* bytes_of(void* memory) { return static_cast<unsigned char*>(memory); }
  static unsigned char value_of(std::size_t batch) {
    return static_cast<unsigned char>(batch % 100);
  }

  unsigned char* host;
  EventRef host_free;
  std::array<DeviceSlot, 2> slots;
  StreamRef copying;
  StreamRef consuming;
};

struct Outcome {
  int seeds_with_wrong_data = 0;
  int seeds_with_violations = 0;
};

Outcome play(Omitted omitted, int seeds, SimulatedOptions options = {}) {
  Outcome outcome;
  for (int seed = 0; seed < seeds; ++seed) {
    SlotProtocol protocol(static_cast<std::uint64_t>(seed), options);
    for (std::size_t batch = 0; batch < 20; ++batch) {
      protocol.produce(batch, omitted);
      protocol.consume(batch, omitted);
    }
    protocol.device.synchronize();
    EXPECT_EQ(protocol.used, 20U);
    outcome.seeds_with_wrong_data += protocol.wrong != 0;
    outcome.seeds_with_violations += !protocol.device.violations().empty();
  }
  return outcome;
}

TEST(SimulatedSlots, HoldTheirDataWhereTheProtocolIsKept) {
  for (const double progress : {0.0, 0.3, 0.5, 0.9}) {
    const Outcome outcome = play(Omitted::nothing, 100, {.progress = progress});
    EXPECT_EQ(outcome.seeds_with_wrong_data, 0);
    EXPECT_EQ(outcome.seeds_with_violations, 0);
  }
}

TEST(SimulatedSlots, ShowHostMemoryThatWasReusedBeforeItsCopyRan) {
  const Outcome outcome = play(Omitted::copy_done_before_host_reuse, 100);
  EXPECT_GE(outcome.seeds_with_wrong_data, 90);
  EXPECT_GE(outcome.seeds_with_violations, 90);
}

TEST(SimulatedSlots, ShowAConsumerThatDoesNotWaitForTheCopy) {
  EXPECT_GE(play(Omitted::ready_before_use, 100).seeds_with_wrong_data, 90);
}

TEST(SimulatedSlots, ShowADeviceSlotThatIsOverwrittenBeforeItsConsumerRan) {
  EXPECT_GE(play(Omitted::released_before_device_reuse, 100).seeds_with_wrong_data, 90);
}

TEST(SimulatedSlots, ShowAKernelThatRunsBehindTheFreeingOfItsMemory) {
  SimulatedDevice device(1, {.progress = 0, .poison = 0xCD});
  auto* memory = static_cast<unsigned char*>(device.allocate_device(slot_bytes));
  bool poisoned = false;
  device.launch({}, [&] { poisoned = all_are(memory, 0xCD); });
  device.launch({}, [memory] { std::memset(memory, 1, slot_bytes); });  // must not crash either
  device.free_device(memory, slot_bytes);
  device.synchronize();
  EXPECT_TRUE(poisoned);
}

TEST(SimulatedSlots, ReportMemoryFreedUnderAQueuedCopy) {
  SimulatedDevice device(1, {.progress = 0});
  device.on_destruction([](const SimulatedReport&) {});
  void* from = device.allocate_host(slot_bytes);
  void* to = device.allocate_device(slot_bytes);
  device.copy_to_device(to, from, slot_bytes, {});
  device.free_host(from, slot_bytes);
  device.free_device(to, slot_bytes);
  EXPECT_EQ(device.violations().size(), 2U);
  device.synchronize();
}

/// Hands numbers from thread to thread.
class Channel {
 public:
  void put(std::size_t item) {
    const std::lock_guard held(mutex_);
    items_.push_back(item);
    changed_.notify_one();
  }
  std::size_t take() {
    std::unique_lock held(mutex_);
    changed_.wait(held, [this] { return !items_.empty(); });
    const std::size_t item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> items_;
};

TEST(SimulatedSlots, HoldTheirDataWhereThreadsShareTheProtocol) {
  constexpr std::size_t batches = 200;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SlotProtocol protocol(seed, {.progress = 0.1 * static_cast<double>(seed % 10)});
    Channel ready;
    Channel released;
    for (std::size_t slot = 0; slot < 2; ++slot) released.put(slot);
    std::thread producer([&] {
      for (std::size_t batch = 0; batch < batches; ++batch) {
        released.take();
        protocol.produce(batch);
        ready.put(batch);
      }
    });
    for (std::size_t batch = 0; batch < batches; ++batch) {
      protocol.consume(ready.take());
      released.put(batch);
    }
    producer.join();
    protocol.device.synchronize();
    EXPECT_EQ(protocol.used, batches);
    EXPECT_EQ(protocol.wrong, 0U);
    EXPECT_TRUE(protocol.device.violations().empty());
  }
}

/// What one of many threads does on its own stream, waiting for events of all.
void hammer(SimulatedDevice& device, std::vector<EventRef>& events, std::size_t self, int rounds) {
  const StreamRef stream = device.create_stream();
  auto* host = static_cast<unsigned char*>(device.allocate_host(slot_bytes));
  auto* memory = static_cast<unsigned char*>(device.allocate_device(slot_bytes));
  int seen = 0;
  for (int round = 0; round < rounds; ++round) {
    std::memset(host, round, slot_bytes);
    device.wait(stream, events[static_cast<std::size_t>(round) % events.size()]);
    device.copy_to_device(memory, host, slot_bytes, stream);
    device.launch(stream,
                  [&, round] { seen += all_are(memory, static_cast<unsigned char>(round)); });
    device.record(events[self], stream);
    if (!device.completed(events[self])) device.synchronize(events[self]);
    EXPECT_EQ(seen, round + 1);
  }
  device.free_device(memory, slot_bytes);
  device.free_host(host, slot_bytes);
  device.destroy_stream(stream);
}

TEST(SimulatedSlots, SurviveThreadsThatHammerTheDevice) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SimulatedDevice device(seed);
    std::vector<EventRef> events(4);
    for (EventRef& event : events) event = device.create_event();
    std::vector<std::thread> threads;
    for (std::size_t self = 0; self < events.size(); ++self)
      threads.emplace_back([&, self] { hammer(device, events, self, 100); });
    for (std::thread& thread : threads) thread.join();
    for (const EventRef event : events) device.destroy_event(event);
    EXPECT_EQ(device.leaks().text(), "nothing");
    EXPECT_TRUE(device.violations().empty());
  }
}

TEST(SimulatedSlots, LetAWaitingThreadGoOnWhenAPausedDeviceResumes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimulatedDevice device(seed, {.progress = 0.9});
    const EventRef event = device.create_event();
    std::atomic<bool> ran = false;
    device.pause();
    device.launch({}, [&] { ran = true; });
    device.record(event, {});
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(device.completed(event));
    std::thread waiting([&] {
      device.synchronize(event);
      EXPECT_TRUE(ran);
    });
    EXPECT_FALSE(ran);
    device.resume();
    waiting.join();
    device.destroy_event(event);
  }
}

}  // namespace
}  // namespace stoker
