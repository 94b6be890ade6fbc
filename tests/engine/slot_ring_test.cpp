#include "src/engine/slot_ring.hpp"

#include "tests/engine/fake_producer.hpp"
#include <stoker/device/simulated.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
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

/// Takes a slot that is free, through work to where it is done, and lets the consumer hold it.
Slot& hold(SlotRing& ring, SlotState work, SlotState done) {
  Slot& slot = *ring.take();
  slot.state.move(SlotState::free, work);
  slot.state.move(work, done);
  ring.hold(slot, done);
  return slot;
}
Slot& hold_one(SlotRing& ring) { return hold(ring, SlotState::filling, SlotState::full); }
Slot& hold_on_device(SlotRing& ring) { return hold(ring, SlotState::copying, SlotState::ready); }

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
  for (int i = 0; i < 3; ++i) slots.push_back(&hold_one(ring));
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

/// Releases what it is given, on threads of its own.
class Releasers {
 public:
  Releasers(SlotRing& ring, int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, &ring] {
        while (const auto slot = held_.pop()) ring.release(**slot, {});
      });
    }
  }
  ~Releasers() { held_.close(); }
  void give(Slot& slot) { held_.push(&slot); }

 private:
  BoundedQueue<Slot*> held_{1000};
  std::vector<std::jthread> threads_;
};

// What is not held is with this thread or in the free list, so that a ring that is said to be all
// held has none in either.
TEST(SlotRing, AllHeldIsTrueOnlyWhereNoSlotIsToBeHad) {
  SlotRing ring(host(), small_layout(), SlotRing::Place::host, 2);
  std::vector<Slot*> taken;
  {
    Releasers releasers(ring, 4);
    for (int i = 0; i < 20000; ++i) {
      while (Slot* slot = ring.try_take()) taken.push_back(slot);
      if (ring.all_held()) {
        ASSERT_TRUE(taken.empty()) << "round " << i;
        ring.grow();
      }
      for (Slot* slot : taken) ring.put(*slot);
      taken.clear();
      releasers.give(hold_one(ring));
    }
  }
  EXPECT_EQ(ring.held(), 0U);
  EXPECT_LE(ring.size(), 3U);
}

TEST(SlotRing, CanBeUsedWhileAGrownSlotWaitsForTheDevice) {
  const auto device = std::make_shared<SimulatedDevice>(1, SimulatedOptions{.progress = 0});
  const StreamRef stream = device->create_stream();
  testing::Gate gate;
  {
    SlotRing ring(device, small_layout(), SlotRing::Place::device, 1);
    hold_on_device(ring);
    ASSERT_TRUE(ring.all_held());
    ring.grow();
    EXPECT_FALSE(ring.all_held());
    Slot& grown = hold_on_device(ring);
    device->launch(stream, [&] { gate.pass(); });
    std::thread releaser([&] { ring.release(grown, std::array{stream}); });
    gate.wait_for_arrivals(1);
    EXPECT_EQ(ring.size(), 1U);
    EXPECT_TRUE(ring.all_held());
    gate.open();
    releaser.join();
  }
  device->destroy_stream(stream);
  EXPECT_TRUE(device->leaks().none());
}

TEST(SlotRing, DeviceSlotsWaitForEveryStreamThatUsedThem) {
  const auto device = std::make_shared<SimulatedDevice>(1, SimulatedOptions{.progress = 0});
  const StreamRef first = device->create_stream(), second = device->create_stream();
  bool first_ran = false, second_ran = false;
  {
    SlotRing ring(device, small_layout(), SlotRing::Place::device, 1);
    Slot* slot = &hold_on_device(ring);
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

/// Takes every slot that it is offered, or none.
struct TestTaker final : SlotTaker {
  explicit TestTaker(bool takes) : takes_all(takes) {}
  bool take(Slot& slot) noexcept override {
    EXPECT_EQ(slot.state.get(), SlotState::free);
    offered.push_back(&slot);
    return takes_all;
  }
  bool takes_all;
  std::vector<Slot*> offered;
};

TEST(SlotRing, OffersWhatIsReleasedBeforeItIsInTheList) {
  for (const bool takes : {true, false}) {
    SlotRing ring(host(), small_layout(), SlotRing::Place::host, 2);
    const auto taker = std::make_shared<TestTaker>(takes);
    ring.offer_released_to(taker);
    Slot& slot = hold_one(ring);
    Slot* const other = ring.take();
    ring.release(slot, {});
    EXPECT_EQ(ring.held(), 0U);
    EXPECT_EQ(taker->offered, std::vector<Slot*>{&slot});
    EXPECT_EQ(ring.try_take(), takes ? nullptr : &slot);
    ring.put(*other);  // was not held: it is not offered
    EXPECT_EQ(taker->offered.size(), 1U);
  }
}

TEST(SlotRing, FreesAGrownSlotAndOffersItToNobody) {
  SlotRing ring(host(), small_layout(), SlotRing::Place::host, 1);
  const auto taker = std::make_shared<TestTaker>(true);
  ring.offer_released_to(taker);
  hold_one(ring);
  ring.grow();
  Slot& grown = hold_one(ring);
  ring.release(grown, {});
  EXPECT_TRUE(taker->offered.empty());
  EXPECT_EQ(ring.size(), 1U);
}

TEST(SlotRing, TouchesEachPageFromTheWorkers) {
  SlotRing ring(host(), SlotLayout({{"a", DType::uint8, Shape{100000}}}, 3), SlotRing::Place::host,
                2);
  const auto executor = make_thread_executor(3);
  PageToucher toucher(*executor);
  ring.for_each([](Slot& slot) { std::fill_n(slot.memory, 300000, std::byte{7}); });
  ring.touch_from(toucher);
  toucher.finish();
  ring.for_each([](Slot& slot) {
    EXPECT_EQ(std::count(slot.memory, slot.memory + 300000, std::byte{0}), (300000 + 4095) / 4096);
  });
}

}  // namespace
}  // namespace stoker
