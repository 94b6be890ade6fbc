#include <stoker/device/simulated.hpp>

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

namespace stoker {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t block = 32;

void expect_error(ErrorCode code, const std::string& text, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.message(), HasSubstr(text));
  }
}

bool is_filled(const void* memory, unsigned char value) {
  const auto* bytes = static_cast<const unsigned char*>(memory);
  return std::all_of(bytes, bytes + block, [&](unsigned char c) { return c == value; });
}

/// A device whose work waits for synchronize, with a block on either side; leaves nothing behind.
class SimulatedDeviceTest : public testing::Test {
 protected:
  ~SimulatedDeviceTest() override {
    device.free_host(host, block);
    device.free_device(memory, block);
  }

  SimulatedDevice device{1, {.progress = 0, .poison = 0xAB}};
  void* host = device.allocate_host(block);
  void* memory = device.allocate_device(block);
};

TEST_F(SimulatedDeviceTest, SaysWhatItIs) {
  EXPECT_EQ(device.id(), (DeviceId{DeviceId::Kind::simulated, 0}));
  EXPECT_FALSE(device.zero_copy());
  EXPECT_EQ(simulated(1, {.ordinal = 3})->id().ordinal, 3);
}

TEST_F(SimulatedDeviceTest, AlignsAndPoisonsMemory) {
  for (void* address : {host, memory}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 256, 0U);
    EXPECT_TRUE(is_filled(address, 0xAB));
  }
}

TEST_F(SimulatedDeviceTest, PoisonsHostMemoryOnReuse) {
  std::fill_n(static_cast<unsigned char*>(host), block, static_cast<unsigned char>(1));
  device.on_reuse(host, block);
  EXPECT_TRUE(is_filled(host, 0xAB));
}

TEST_F(SimulatedDeviceTest, PoisonsTheWholeDestinationWhenACopyStarts) {
  int half_copied = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimulatedDevice fresh(seed, {.progress = 0, .poison = 0xAB});
    void* from = fresh.allocate_host(block);
    auto* to = static_cast<unsigned char*>(fresh.allocate_device(block));
    std::fill_n(static_cast<unsigned char*>(from), block, static_cast<unsigned char>(1));
    std::fill_n(to, block, static_cast<unsigned char>(2));
    const StreamRef other = fresh.create_stream();
    fresh.copy_to_device(to, from, block, {});
    fresh.launch(other, [&] { half_copied += to[0] == 1 && to[block - 1] == 0xAB; });
    fresh.synchronize();
    EXPECT_TRUE(is_filled(to, 1));
    fresh.destroy_stream(other);
    fresh.free_host(from, block);
    fresh.free_device(to, block);
  }
  EXPECT_GT(half_copied, 0);
}

TEST_F(SimulatedDeviceTest, CopiesWhatTheHostHoldsWhenTheCopyRuns) {
  device.copy_to_device(memory, host, block, {});
  std::fill_n(static_cast<unsigned char*>(host), block, static_cast<unsigned char>(9));
  device.synchronize();
  EXPECT_TRUE(is_filled(memory, 9));
}

TEST_F(SimulatedDeviceTest, CopiesNothingAtAll) {
  device.copy_to_device(memory, host, 0, {});
  device.synchronize();
  EXPECT_TRUE(is_filled(memory, 0xAB));
}

TEST_F(SimulatedDeviceTest, RefusesCopiesOutsideItsMemory) {
  auto* bytes = static_cast<std::byte*>(memory);
  std::array<std::byte, block> pageable{};
  const auto copy = [&](void* to, const void* from, std::size_t size) {
    return [=, this] { device.copy_to_device(to, from, size, {}); };
  };
  expect_error(ErrorCode::device_error, "device memory", copy(memory, host, block + 1));
  expect_error(ErrorCode::device_error, "device memory", copy(bytes + 1, host, block));
  expect_error(ErrorCode::device_error, "device memory", copy(host, memory, block));
  expect_error(ErrorCode::device_error, "allocate_host", copy(memory, pageable.data(), block));
  expect_error(ErrorCode::device_error, "allocate_host", [&] { device.on_reuse(memory, block); });
}

TEST_F(SimulatedDeviceTest, CopiesOnTheDeviceBehindItsStreamsWork) {
  void* other = device.allocate_device(block);
  device.launch({}, [this] { std::memset(memory, 9, block); });
  device.copy_on_device(other, memory, block, {});
  device.launch({}, [this] { std::memset(memory, 8, block); });
  EXPECT_TRUE(is_filled(other, 0xAB));
  device.synchronize();
  EXPECT_TRUE(is_filled(other, 9));
  EXPECT_TRUE(is_filled(memory, 8));
  device.free_device(other, block);
}

TEST_F(SimulatedDeviceTest, RefusesCopiesOnTheDeviceThatLeaveItsMemory) {
  auto* bytes = static_cast<std::byte*>(memory);
  const auto refuses = [&](void* to, const void* from, std::size_t size, StreamRef stream) {
    expect_error(ErrorCode::device_error, stream == StreamRef{} ? "device" : "there is no stream",
                 [=, this] { device.copy_on_device(to, from, size, stream); });
  };
  refuses(memory, memory, block + 1, {});
  refuses(bytes + 1, memory, block, {});
  refuses(memory, bytes + 1, block, {});
  refuses(memory, host, block, {});
  refuses(host, memory, block, {});
  refuses(memory, memory, block, {77});
}

TEST_F(SimulatedDeviceTest, TellsTheStepsBetweenTimedEvents) {
  const EventRef from = device.create_timed_event(), to = device.create_timed_event();
  device.record(from, {});
  for (int i = 0; i < 5; ++i) device.launch({}, [] {});
  device.record(to, {});
  device.synchronize();
  EXPECT_EQ(device.elapsed(from, to), std::chrono::nanoseconds(6));
  EXPECT_EQ(device.elapsed(to, from), std::chrono::nanoseconds(-6));
  EXPECT_EQ(device.elapsed(from, from), std::chrono::nanoseconds(0));
  device.destroy_event(from);
  device.destroy_event(to);
}

TEST_F(SimulatedDeviceTest, TellsNoTimeOfEventsThatNoteNone) {
  const EventRef timed = device.create_timed_event(), plain = device.create_event();
  const auto refuses = [&](const std::string& text, EventRef from, EventRef to) {
    expect_error(ErrorCode::device_error, text, [&] { device.elapsed(from, to); });
  };
  refuses("has not completed", timed, timed);  // never recorded
  device.record(timed, {});
  device.record(plain, {});
  refuses("has not completed", timed, timed);
  device.synchronize();
  EXPECT_EQ(device.elapsed(timed, timed), std::chrono::nanoseconds(0));
  refuses("notes no time", timed, plain);
  refuses("notes no time", plain, timed);
  device.record(timed, {});  // forgets the mark that was reached
  refuses("has not completed", timed, timed);
  device.destroy_event(plain);
  device.destroy_event(timed);
  refuses("there is no event", timed, timed);
}

TEST_F(SimulatedDeviceTest, RefusesStreamsAndEventsThatItDoesNotKnow) {
  const EventRef event = device.create_event();
  const auto none = [&](auto call) { expect_error(ErrorCode::device_error, "there is no", call); };
  none([&] { device.launch({77}, [] {}); });
  none([&] { device.record(event, {77}); });
  none([&] { device.record({77}, {}); });
  none([&] { device.wait({}, {77}); });
  none([&] { device.copy_to_device(memory, host, block, {77}); });
  none([&] { device.synchronize({77}); });
  none([&] { static_cast<void>(device.completed({77})); });
  device.destroy_event(event);
}

TEST_F(SimulatedDeviceTest, RefusesOptionsOutOfRange) {
  for (const double progress : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    expect_error(ErrorCode::invalid_argument, "progress",
                 [&] { SimulatedDevice(1, {.progress = progress}); });
  expect_error(ErrorCode::invalid_argument, "copy_pieces",
               [] { SimulatedDevice(1, {.copy_pieces = 0}); });
}

TEST_F(SimulatedDeviceTest, LetsNoKernelCallIt) {
  std::string message;
  device.launch({}, [&] {
    try {
      device.synchronize();
    } catch (const Error& error) {
      message = error.message();
    }
  });
  device.synchronize();
  EXPECT_THAT(message, HasSubstr("kernel"));
}

TEST_F(SimulatedDeviceTest, FailsForGoodWhereAKernelThrows) {
  const EventRef event = device.create_event();
  bool ran_behind = false;
  device.launch({}, [] { throw std::runtime_error("division by zero"); });
  device.launch({}, [&] { ran_behind = true; });
  device.record(event, {});
  for (int i = 0; i < 2; ++i)
    expect_error(ErrorCode::device_error, "division by zero", [&] { device.synchronize(event); });
  expect_error(ErrorCode::device_error, "division by zero", [&] { device.create_stream(); });
  EXPECT_FALSE(ran_behind);
  device.destroy_event(event);
}

TEST_F(SimulatedDeviceTest, FailsTheAllocationItIsToldTo) {
  device.fail_allocation(2);
  void* first = device.allocate_host(block);
  expect_error(ErrorCode::out_of_memory, "32 bytes", [&] { device.allocate_device(block); });
  void* third = device.allocate_device(block);
  device.free_host(first, block);
  device.free_device(third, block);
}

TEST_F(SimulatedDeviceTest, FailsTheCopyItIsToldToWhenItIsQueued) {
  device.fail_copy(2);
  device.copy_to_device(memory, host, block, {});
  expect_error(ErrorCode::device_error, "copy",
               [&] { device.copy_to_device(memory, host, block, {}); });
  device.copy_to_device(memory, host, block, {});
  device.synchronize();
}

TEST_F(SimulatedDeviceTest, FailsTheCopyItIsToldToWhenItRuns) {
  const EventRef event = device.create_event();
  device.fail_copy(1, CopyFailure::when_run);
  device.copy_to_device(memory, host, block, {});
  device.record(event, {});
  expect_error(ErrorCode::device_error, "copy", [&] { device.synchronize(event); });
  EXPECT_TRUE(is_filled(memory, 0xAB));
  device.destroy_event(event);
}

TEST_F(SimulatedDeviceTest, FailsACopyOnTheDeviceAsOneToIt) {
  void* other = device.allocate_device(block);
  device.fail_copy(2);
  device.copy_to_device(memory, host, block, {});
  expect_error(ErrorCode::device_error, "copy",
               [&] { device.copy_on_device(other, memory, block, {}); });
  device.synchronize();
  EXPECT_TRUE(is_filled(other, 0xAB));
  device.fail_copy(1, CopyFailure::when_run);
  device.copy_on_device(other, memory, block, {});
  expect_error(ErrorCode::device_error, "copy", [&] { device.synchronize(); });
  EXPECT_TRUE(is_filled(other, 0xAB));
  device.free_device(other, block);
}

TEST_F(SimulatedDeviceTest, CountsWhatWasNotGivenBack) {
  const StreamRef stream = device.create_stream();
  const EventRef event = device.create_event();
  EXPECT_EQ(device.leaks(), (SimulatedLeaks{1, 1, 1, 1}));
  EXPECT_EQ(device.leaks().text(), "1 host block, 1 device block, 1 stream, 1 event");
  device.destroy_stream(stream);
  device.destroy_event(event);
  EXPECT_EQ(device.leaks(), (SimulatedLeaks{1, 1, 0, 0}));
}

TEST_F(SimulatedDeviceTest, ReportsWhatIsGivenBackWrongly) {
  device.on_destruction([](const SimulatedReport&) {});
  device.free_host(nullptr, 0);
  EXPECT_THAT(device.violations(), IsEmpty());
  device.free_host(memory, block);
  device.free_device(memory, block - 1);
  device.destroy_stream({77});
  device.destroy_stream({});
  device.destroy_event({77});
  EXPECT_THAT(device.violations(), SizeIs(5));
  EXPECT_EQ(device.leaks(), (SimulatedLeaks{1, 1, 0, 0}));
}

TEST(SimulatedDeviceReport, IsHandedOverWhenTheDeviceIsDestroyed) {
  SimulatedReport report;
  {
    const auto device = simulated(1);
    device->on_destruction([&](const SimulatedReport& final) { report = final; });
    device->allocate_host(8);
    device->create_event();
    device->destroy_event({77});
  }
  EXPECT_EQ(report.leaks.text(), "1 host block, 1 event");
  EXPECT_THAT(report.violations, SizeIs(1));
}

TEST(SimulatedDeviceReport, GoesToStderrWhereNobodyTakesIt) {
  testing::internal::CaptureStderr();
  {
    const auto device = simulated(1);
    device->allocate_device(8);
    device->destroy_event({77});
  }
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, HasSubstr("not given back: 1 device block"));
  EXPECT_THAT(printed, HasSubstr("event 77"));
}

TEST(SimulatedHost, PoisonsReuseAndCountsLeaksWithoutCopies) {
  const auto device = simulated(1, {.poison = 0xAB, .zero_copy = true});
  EXPECT_TRUE(device->zero_copy());
  EXPECT_EQ(device->id().kind, DeviceId::Kind::cpu);
  auto* memory = static_cast<unsigned char*>(device->allocate_host(block));
  std::fill_n(memory, block, static_cast<unsigned char>(1));
  device->on_reuse(memory, block);
  EXPECT_TRUE(is_filled(memory, 0xAB));
  EXPECT_EQ(device->leaks().host_blocks, 1U);
  device->free_host(memory, block);
}

}  // namespace
}  // namespace stoker
