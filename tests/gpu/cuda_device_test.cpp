#include "src/device/cuda_context.hpp"
#include "src/device/cuda_driver.hpp"
#include "src/device/cuda_handles.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/gpu/kernels.hpp"
#include <stoker/core/error.hpp>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

namespace stoker::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CudaDeviceTest : public GpuTest {};

// ctest runs each test in a process of its own, so each begins where CUDA was not touched.

/// Whether a device has its primary context.
bool is_active(int ordinal) {
  CUdevice device = 0;
  unsigned flags = 0;
  int active = 0;
  EXPECT_EQ(cuda_driver().device_get(&device, ordinal), CUDA_SUCCESS);
  EXPECT_EQ(cuda_driver().primary_context_state(device, &flags, &active), CUDA_SUCCESS);
  return active != 0;
}

CUcontext current_context() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuda_driver().context_current(&context), CUDA_SUCCESS);
  return context;
}

void use(Device& device) {
  void* host = device.allocate_host(1 << 20);
  void* memory = device.allocate_device(1 << 20);
  const StreamRef stream = device.create_stream();
  const EventRef event = device.create_event();
  device.copy_to_device(memory, host, 1 << 20, stream);
  device.record(event, stream);
  device.wait(stream, event);
  device.synchronize(event);
  EXPECT_TRUE(device.completed(event));
  device.destroy_event(event);
  device.destroy_stream(stream);
  device.free_device(memory, 1 << 20);
  device.free_host(host, 1 << 20);
}

TEST_F(CudaDeviceTest, MakesNoContextWhereNobodyAskedForOne) {
  const int last = cuda_device_count() - 1;
  EXPECT_FALSE(is_active(last));
  {
    const DevicePtr device = cuda(last);
    EXPECT_TRUE(is_active(last));
    use(*device);
    std::thread([&] { use(*device); }).join();
    for (int other = 0; other < last; ++other) EXPECT_FALSE(is_active(other)) << other;
    EXPECT_EQ(current_context(), nullptr);
  }
}

TEST_F(CudaDeviceTest, LeavesTheThreadsContextAsItWas) {
  const CudaContext other(0);
  ASSERT_EQ(cuda_driver().context_push(other.handle()), CUDA_SUCCESS);
  const DevicePtr device = cuda(cuda_device_count() - 1);
  use(*device);
  EXPECT_EQ(current_context(), other.handle());
  CUcontext popped = nullptr;
  ASSERT_EQ(cuda_driver().context_pop(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, other.handle());
  EXPECT_EQ(current_context(), nullptr);
}

TEST_F(CudaDeviceTest, CopiesBehindTheWorkThatItsStreamWaitsFor) {
  const DevicePtr device = cuda(0);
  constexpr std::size_t count = 1 << 20;
  auto* host = static_cast<std::uint32_t*>(device->allocate_host(count * 4));
  void* memory = device->allocate_device(count * 4);
  for (std::size_t i = 0; i < count; ++i) host[i] = static_cast<std::uint32_t>(i * 2654435761U);
  const StreamRef busy = device->create_stream(), copies = device->create_stream();
  const EventRef gate = device->create_event(), done = device->create_event();
  launch_spin(stream_of(busy), 20'000'000);
  device->record(gate, busy);
  device->wait(copies, gate);
  device->copy_to_device(memory, host, count * 4, copies);
  device->record(done, copies);
  EXPECT_FALSE(device->completed(done));
  device->synchronize(done);
  EXPECT_EQ(download<std::uint32_t>(memory, count, copies),
            std::vector<std::uint32_t>(host, host + count));
  for (const EventRef event : {gate, done}) device->destroy_event(event);
  for (const StreamRef stream : {busy, copies}) device->destroy_stream(stream);
  device->free_device(memory, count * 4);
  device->free_host(host, count * 4);
}

TEST_F(CudaDeviceTest, CopiesOnTheDeviceBehindItsStreamsWork) {
  const DevicePtr device = cuda(0);
  constexpr std::size_t count = 1 << 20;
  auto* host = static_cast<std::uint32_t*>(device->allocate_host(count * 4));
  void* first = device->allocate_device(count * 4);
  void* second = device->allocate_device(count * 4);
  for (std::size_t i = 0; i < count; ++i) host[i] = static_cast<std::uint32_t>(i * 2654435761U);
  const StreamRef stream = device->create_stream();
  const EventRef done = device->create_event();
  launch_spin(stream_of(stream), 20'000'000);
  device->copy_to_device(first, host, count * 4, stream);
  device->copy_on_device(second, first, count * 4, stream);
  device->record(done, stream);
  EXPECT_FALSE(device->completed(done));
  EXPECT_EQ(download<std::uint32_t>(second, count, stream),
            std::vector<std::uint32_t>(host, host + count));
  device->destroy_event(done);
  device->destroy_stream(stream);
  for (void* memory : {first, second}) device->free_device(memory, count * 4);
  device->free_host(host, count * 4);
}

TEST_F(CudaDeviceTest, TellsTheDevicesTimeBetweenTimedEvents) {
  const DevicePtr device = cuda(0);
  const StreamRef stream = device->create_stream();
  const EventRef from = device->create_timed_event(), to = device->create_timed_event();
  device->record(from, stream);
  launch_spin(stream_of(stream), 20'000'000);
  device->record(to, stream);
  device->synchronize(to);
  EXPECT_GE(device->elapsed(from, to), std::chrono::microseconds(19'900));
  EXPECT_LT(device->elapsed(from, to), std::chrono::seconds(2));
  EXPECT_EQ(device->elapsed(from, from), std::chrono::nanoseconds(0));
  for (const EventRef event : {from, to}) device->destroy_event(event);
  device->destroy_stream(stream);
}

TEST_F(CudaDeviceTest, GivesPinnedMemoryUnlessAskedNotTo) {
  for (const bool pin : {true, false}) {
    const DevicePtr device = cuda(0, {.pin_memory = pin});
    void* host = device->allocate_host(12345);
    cudaPointerAttributes attributes{};
    expect_cuda(cudaPointerGetAttributes(&attributes, host));
    EXPECT_EQ(attributes.type, pin ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered);
    std::memset(host, 1, 12345);
    device->free_host(host, 12345);
    use(*device);
  }
}

TEST_F(CudaDeviceTest, RefusesADeviceThatIsNotThere) {
  const int count = cuda_device_count();
  for (const int ordinal : {-1, count, 1 << 20}) {
    EXPECT_THAT(error_of([&] { cuda(ordinal); }, ErrorCode::device_error),
                HasSubstr("no CUDA device " + std::to_string(ordinal)));
  }
}

TEST_F(CudaDeviceTest, NamesTheCallTheStatusAndThePlaceOfAnError) {
  const DevicePtr device = cuda(0);
  const StreamRef stream = device->create_stream();
  int there = 0;
  EXPECT_THAT(error_of([&] { device->copy_to_device(&there, &there, ~std::size_t{0} / 2, stream); },
                       ErrorCode::device_error),
              AllOf(HasSubstr("cudaMemcpyAsync"), HasSubstr("cudaError"), HasSubstr(".cpp:")));
  device->destroy_stream(stream);
  use(*device);  // the error is not met again
}

TEST_F(CudaDeviceTest, TellsNoTimeOfEventsThatNoteNone) {
  const DevicePtr device = cuda(0);
  const StreamRef stream = device->create_stream();
  const EventRef timed = device->create_timed_event(), plain = device->create_event();
  const auto refuses = [&](EventRef from, EventRef to, const char* status) {
    EXPECT_THAT(error_of([&] { device->elapsed(from, to); }, ErrorCode::device_error),
                AllOf(HasSubstr("cudaEventElapsedTime"), HasSubstr(status)));
  };
  refuses(timed, timed, "cudaErrorInvalidResourceHandle");  // never recorded
  for (const EventRef event : {timed, plain}) device->record(event, stream);
  device->synchronize(plain);
  refuses(timed, plain, "cudaErrorInvalidResourceHandle");
  launch_spin(stream_of(stream), 200'000'000);
  device->record(timed, stream);
  refuses(timed, timed, "cudaErrorNotReady");
  device->synchronize(timed);
  EXPECT_EQ(device->elapsed(timed, timed), std::chrono::nanoseconds(0));
  for (const EventRef event : {timed, plain}) device->destroy_event(event);
  device->destroy_stream(stream);
}

TEST_F(CudaDeviceTest, IsToldInFullOnceThatTheDeviceFailed) {
  const DevicePtr device = cuda(0);
  const StreamRef stream = device->create_stream();
  const EventRef event = device->create_event();
  launch_fault(stream_of(stream));
  device->record(event, stream);
  const auto failed = ErrorCode::device_error;
  EXPECT_THAT(error_of([&] { device->synchronize(event); }, failed),
              AllOf(HasSubstr("cudaEventSynchronize"), HasSubstr("cudaErrorIllegalAddress")));
  EXPECT_THAT(error_of([&] { device->record(event, stream); }, failed),
              AllOf(HasSubstr("failed earlier"), Not(HasSubstr("cudaError"))));
  device->destroy_event(event);
  device->destroy_stream(stream);
}

TEST_F(CudaDeviceTest, IsOfNoUseInAForkedProcessAndSaysSo) {
  const DevicePtr device = cuda(0);
  const StreamRef stream = device->create_stream();
  const pid_t child = ::fork();
  if (child == 0) {
    bool told = false;
    try {
      device->create_event();
    } catch (const Error& error) {
      told = std::string(error.what()).find("fork") != std::string::npos;
    }
    device->destroy_stream(stream);
    ::_exit(told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  device->destroy_stream(stream);
}

TEST_F(CudaDeviceTest, DisturbsNoCaptureOfAnotherThread) {
  const DevicePtr device = cuda(0);
  const StreamRef capturing = device->create_stream();
  expect_cuda(cudaStreamBeginCapture(stream_of(capturing), cudaStreamCaptureModeGlobal));
  std::thread([&] { use(*device); }).join();
  cudaGraph_t graph = nullptr;
  expect_cuda(cudaStreamEndCapture(stream_of(capturing), &graph));
  ASSERT_NE(graph, nullptr);
  expect_cuda(cudaGraphDestroy(graph));
  device->destroy_stream(capturing);
}

TEST_F(CudaDeviceTest, HasHandlesThatCanBeMoved) {
  const auto context = std::make_shared<const CudaContext>(0);
  Stream a(context, Stream::Priority::high);
  const cudaStream_t handle = a.handle();
  Stream b(std::move(a));
  EXPECT_EQ(b.handle(), handle);
  EXPECT_EQ(a.handle(), nullptr);
  b = Stream(context, Stream::Priority::normal);
  EXPECT_NE(b.handle(), nullptr);
  PinnedBuffer pinned(context, 100);
  PinnedBuffer other(std::move(pinned));
  EXPECT_EQ(pinned.data(), nullptr);
  EXPECT_EQ(other.size(), 100U);
  DeviceBuffer memory(context, 100);
  memory = DeviceBuffer(context, 200);
  EXPECT_EQ(memory.size(), 200U);
  Event event(context, Event::Timing::on);
  event = Event(context);
  EXPECT_NE(event.handle(), nullptr);
}

}  // namespace
}  // namespace stoker::testing
