#include "src/device/cuda_context.hpp"
#include "src/device/cuda_driver.hpp"
#include "src/device/cuda_error.hpp"
#include "src/device/cuda_handles.hpp"
#include "src/device/finish_kernel.hpp"
#include "src/device/pinned_memory.hpp"
#include "src/device/resize_kernel.hpp"
#include <stoker/core/error.hpp>
#include <stoker/device/cuda.hpp>

#include <atomic>
#include <utility>

namespace stoker {
namespace {

cudaStream_t stream_of(StreamRef stream) { return reinterpret_cast<cudaStream_t>(stream.handle); }
cudaEvent_t event_of(EventRef event) { return reinterpret_cast<cudaEvent_t>(event.handle); }

class CudaDevice final : public Device {
  // First, since its result is deduced.
  /// Runs calls of CUDA's with this device's context. After an error that the device does not
  /// recover from each call would fail with the same words, whoever's fault it was: they are said
  /// once.
  template <class Code>
  auto call(Code code) {
    const DeviceGuard guard(*context_);
    if (failed_.load(std::memory_order_relaxed)) throw_failed();
    try {
      return code();
    } catch (const CudaError& error) {
      if (is_sticky(error.status())) failed_.store(true, std::memory_order_relaxed);
      throw;
    }
  }
  [[noreturn]] void throw_failed() const {
    throw Error(ErrorCode::device_error,
                "CUDA device " + std::to_string(context_->ordinal()) +
                    " failed earlier and takes no more work: start a new process");
  }

 public:
  CudaDevice(int ordinal, CudaOptions options)
      : context_(std::make_shared<const CudaContext>(ordinal)), options_(options) {}

  DeviceId id() const override { return {DeviceId::Kind::cuda, context_->ordinal()}; }
  bool zero_copy() const override { return false; }
  std::optional<int> numa_node() const override { return node_near(context_->ordinal()); }

  void* allocate_host(std::size_t bytes) override {
    if (!options_.pin_memory) return host()->allocate_host(bytes);
    return call([&] { return PinnedBuffer(context_, bytes).release(); });
  }
  void free_host(void* memory, std::size_t bytes) noexcept override {
    if (options_.pin_memory) {
      PinnedDeleter{context_, bytes}(static_cast<std::byte*>(memory));
    } else {
      host()->free_host(memory, bytes);
    }
  }
  void* allocate_device(std::size_t bytes) override {
    return call([&] { return DeviceBuffer(context_, bytes).release(); });
  }
  void free_device(void* memory, std::size_t) noexcept override {
    DeviceMemoryDeleter{context_}(static_cast<std::byte*>(memory));
  }

  StreamRef create_stream() override {
    return call([&] {
      return StreamRef{
          reinterpret_cast<std::uintptr_t>(Stream(context_, Stream::Priority::high).release())};
    });
  }
  void destroy_stream(StreamRef stream) noexcept override {
    StreamDeleter{context_}(stream_of(stream));
  }
  EventRef create_event() override { return create_event(Event::Timing::off); }
  EventRef create_timed_event() override { return create_event(Event::Timing::on); }
  void destroy_event(EventRef event) noexcept override { EventDeleter{context_}(event_of(event)); }

  void copy_to_device(void* device, const void* host, std::size_t bytes,
                      StreamRef stream) override {
    call([&] {
      STOKER_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_of(stream)));
    });
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    call([&] {
      STOKER_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(stream)));
    });
  }
  void finish(const FinishTask& task, StreamRef stream) override {
    call([&] { STOKER_CUDA(launch_finish(task, stream_of(stream))); });
  }
  void resize(const ResizeTask& task, StreamRef stream) override {
    call([&] { STOKER_CUDA(launch_resize(task, stream_of(stream))); });
  }
  void record(EventRef event, StreamRef stream) override {
    call([&] { STOKER_CUDA(cudaEventRecord(event_of(event), stream_of(stream))); });
  }
  void wait(StreamRef stream, EventRef event) override {
    call([&] { STOKER_CUDA(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0)); });
  }
  bool completed(EventRef event) override {
    return call([&] {
      const cudaError_t status = cudaEventQuery(event_of(event));
      if (status != cudaErrorNotReady) check_cuda(status, "cudaEventQuery");
      return status == cudaSuccess;
    });
  }
  std::chrono::nanoseconds elapsed(EventRef from, EventRef to) override {
    return call([&] {
      float milliseconds = 0;
      STOKER_CUDA(cudaEventElapsedTime(&milliseconds, event_of(from), event_of(to)));
      return std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
    });
  }
  void synchronize(EventRef event) override {
    if (cuda_is_gone()) return;  // the process ends: nothing runs any more
    call([&] { STOKER_CUDA(cudaEventSynchronize(event_of(event))); });
  }

 private:
  EventRef create_event(Event::Timing timing) {
    return call([&] {
      return EventRef{reinterpret_cast<std::uintptr_t>(Event(context_, timing).release())};
    });
  }

  CudaContextPtr context_;
  CudaOptions options_;
  std::atomic<bool> failed_{false};
};

}  // namespace

int cuda_device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

DevicePtr cuda(int ordinal, CudaOptions options) {
  return std::make_shared<CudaDevice>(ordinal, options);
}

}  // namespace stoker
