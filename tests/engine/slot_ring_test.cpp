#include "src/engine/slot_ring.hpp"

#include <stoker/device/simulated.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>

namespace stoker {
namespace {

SlotLayout small_layout() {
  return SlotLayout({{"a", DType::float32, Shape{3}}, {"b", DType::int64, Shape{}}}, 10);
}

std::shared_ptr<SimulatedDevice> simulated_host() {
  return std::make_shared<SimulatedDevice>(1, SimulatedOptions{.zero_copy = true});
}

TEST(SlotLayout, PutsEachFieldAtAMultipleOf256) {
  const SlotLayout layout = small_layout();
  EXPECT_EQ(layout.offset(0), 0U);
  EXPECT_EQ(layout.offset(1), 256U);
  EXPECT_EQ(layout.bytes(), 512U);
  EXPECT_EQ(layout.sample_bytes(0), 12U);
}

TEST(SlotLayout, RefusesWhatFitsIntoNoMemory) {
  EXPECT_THROW(SlotLayout({}, 1), Error);
  EXPECT_THROW(SlotLayout({{"a", DType::float64, Shape{1LL << 60}}}, 16), Error);
  EXPECT_THROW(SlotLayout(std::vector<FieldSpec>(65, FieldSpec{"a", DType::uint8, {}}), 1), Error);
}

TEST(SlotRing, GivesOutEachSlotOnceUntilItComesBack) {
  SlotRing ring(host(), small_layout(), SlotRing::Place::host, 3);
  std::set<Slot*> slots{ring.try_take(), ring.try_take(), ring.try_take()};
  EXPECT_EQ(slots.size(), 3U);
  EXPECT_EQ(ring.try_take(), nullptr);
  ring.put(**slots.begin());
  EXPECT_EQ(ring.try_take(), *slots.begin());
}

TEST(SlotRing, ReusesSlotsWhateverTheOrderOfRelease) {
  SlotRing ring(host(), small_layout(), SlotRing::Place::host, 3);
  std::vector<Slot*> slots;
  for (int i = 0; i < 3; ++i) {
    slots.push_back(ring.take());
    slots.back()->state.move(SlotState::free, SlotState::filling);
    slots.back()->state.move(SlotState::filling, SlotState::full);
    ring.hold(*slots.back(), SlotState::full);
  }
  EXPECT_EQ(ring.held(), 3U);
  ring.release(*slots[1], {});
  EXPECT_EQ(ring.held(), 2U);
  EXPECT_EQ(ring.try_take(), slots[1]);
}

TEST(SlotRing, CloseEndsWaitingForASlot) {
  SlotRing ring(host(), small_layout(), SlotRing::Place::host, 1);
  ASSERT_NE(ring.take(), nullptr);
  std::thread waiter([&] { EXPECT_EQ(ring.take(), nullptr); });
  ring.close();
  waiter.join();
}

TEST(SlotRing, FreesAllThatItAllocated) {
  const auto device = simulated_host();
  {
    SlotRing ring(device, small_layout(), SlotRing::Place::host, 4);
    EXPECT_EQ(device->leaks().host_blocks, 4U);
    ring.grow();
    EXPECT_EQ(device->leaks().host_blocks, 5U);
    EXPECT_EQ(ring.size(), 5U);
  }
  EXPECT_TRUE(device->leaks().none());
}

TEST(SlotRing, FreesWhatItHadWhereTheRestIsNotToBeHad) {
  const auto device = simulated_host();
  device->fail_allocation(3);
  EXPECT_THROW(SlotRing(device, small_layout(), SlotRing::Place::host, 4), Error);
  EXPECT_TRUE(device->leaks().none());
}

TEST(SlotRing, DeviceSlotsWaitForEveryStreamThatUsedThem) {
  const auto device = std::make_shared<SimulatedDevice>(1, SimulatedOptions{.progress = 0});
  const StreamRef first = device->create_stream(), second = device->create_stream();
  bool first_ran = false, second_ran = false;
  {
    SlotRing ring(device, small_layout(), SlotRing::Place::device, 1);
    Slot* slot = ring.take();
    slot->state.move(SlotState::free, SlotState::copying);
    slot->state.move(SlotState::copying, SlotState::ready);
    ring.hold(*slot, SlotState::ready);
    device->launch(first, [&] { first_ran = true; });
    device->launch(second, [&] { second_ran = true; });
    const std::vector<StreamRef> streams{first, second};
    ring.release(*slot, streams);
    EXPECT_EQ(slot->used_count, 2U);
    EXPECT_FALSE(first_ran || second_ran);
  }  // freeing waits for both
  EXPECT_TRUE(first_ran && second_ran);
  device->destroy_stream(first);
  device->destroy_stream(second);
  EXPECT_TRUE(device->leaks().none());
}

TEST(SlotRing, TouchesEachPageFromTheWorkers) {
  SlotRing ring(host(), SlotLayout({{"a", DType::uint8, Shape{100000}}}, 3), SlotRing::Place::host,
                2);
  const auto executor = make_thread_executor(3);
  ring.for_each([](Slot& slot) { std::fill_n(slot.memory, 300000, std::byte{7}); });
  ring.touch_from(*executor);
  ring.for_each([](Slot& slot) {
    EXPECT_EQ(std::count(slot.memory, slot.memory + 300000, std::byte{0}), (300000 + 4095) / 4096);
  });
}

}  // namespace
}  // namespace stoker
