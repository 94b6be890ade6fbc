#include <stoker/core/error.hpp>
#include <stoker/device/device.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace stoker {
namespace {

TEST(HostDevice, IsOneZeroCopyCpu) {
  EXPECT_EQ(host()->id(), (DeviceId{DeviceId::Kind::cpu, 0}));
  EXPECT_TRUE(host()->zero_copy());
  EXPECT_EQ(host(), host());
}

TEST(HostDevice, GivesPageAlignedZeroedMemoryOfAnySize) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4097}, (std::size_t{4} << 20) + 3}) {
    auto* memory = static_cast<unsigned char*>(host()->allocate_host(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % page, 0U);
    EXPECT_TRUE(std::all_of(memory, memory + bytes, [](unsigned char c) { return c == 0; }));
    if (bytes != 0) std::memset(memory, 7, bytes);
    host()->free_host(memory, bytes);
  }
}

TEST(HostDevice, AllocatesDeviceMemoryOnTheHost) {
  void* memory = host()->allocate_device(100);
  std::memset(memory, 1, 100);
  host()->free_device(memory, 100);
  host()->free_host(nullptr, 0);
}

TEST(HostDevice, ReportsMemoryThatTheMachineDoesNotHave) {
  try {
    host()->allocate_host(std::numeric_limits<std::size_t>::max() / 2);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
  }
}

TEST(HostDevice, HasDoneItsWorkWhenACallReturns) {
  const StreamRef stream = host()->create_stream();
  const EventRef event = host()->create_event();
  const std::vector<int> from{1, 2, 3};
  std::vector<int> to(3);
  host()->copy_to_device(to.data(), from.data(), sizeof(int) * 3, stream);
  host()->record(event, stream);
  host()->wait(stream, event);
  EXPECT_TRUE(host()->completed(event));
  host()->synchronize(event);
  EXPECT_EQ(to, from);
  host()->destroy_event(event);
  host()->destroy_stream(stream);
}

TEST(HostDevice, CopiesWithinItsMemoryAtOnce) {
  const std::vector<int> from{4, 5, 6};
  std::vector<int> to(3);
  host()->copy_on_device(to.data(), from.data(), sizeof(int) * 3, host()->create_stream());
  EXPECT_EQ(to, from);
  host()->copy_on_device(nullptr, nullptr, 0, {});
}

TEST(HostDevice, TakesNoTimeBetweenEvents) {
  const EventRef from = host()->create_timed_event(), to = host()->create_timed_event();
  EXPECT_NE(from, to);
  host()->record(from, {});
  host()->record(to, {});
  EXPECT_EQ(host()->elapsed(from, to), std::chrono::nanoseconds(0));
  host()->destroy_event(from);
  host()->destroy_event(to);
}

TEST(HostDevice, NamesStreamsAndEventsApartFromTheDefaultOnes) {
  const StreamRef first = host()->create_stream();
  EXPECT_NE(first, StreamRef{});
  EXPECT_NE(first, host()->create_stream());
  EXPECT_NE(host()->create_event(), EventRef{});
}

}  // namespace
}  // namespace stoker
