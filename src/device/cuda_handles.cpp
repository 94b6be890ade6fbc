#include "src/device/cuda_handles.hpp"

#include "src/device/cuda_error.hpp"
#include "src/device/pinned_memory.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

namespace stoker {
namespace {

/// Runs what gives something back, with the context current; nothing in a forked process.
template <class GiveBack>
void give_back(const CudaContext& context, GiveBack code) noexcept {
  if (!context.is_of_this_process()) return;
  try {
    const DeviceGuard guard(context);
    code();
  } catch (const Error&) {
    return;  // the driver is gone, and with it all that there was to give back
  }
}

std::string mega(std::size_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

}  // namespace

void destroy(const CudaContext& context, cudaStream_t stream) noexcept {
  give_back(context, [&] {
    report_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    report_cuda(cudaStreamDestroy(stream), "cudaStreamDestroy");
  });
}

void destroy(const CudaContext& context, cudaEvent_t event) noexcept {
  give_back(context, [&] { report_cuda(cudaEventDestroy(event), "cudaEventDestroy"); });
}

void free_device_memory(const CudaContext& context, std::byte* memory) noexcept {
  give_back(context, [&] { report_cuda(cudaFree(memory), "cudaFree"); });
}

Stream::Stream(CudaContextPtr context, Priority priority) : context_(std::move(context)) {
  const DeviceGuard guard(*context_);
  int least = 0, greatest = 0;
  STOKER_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  STOKER_CUDA(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking,
                                           priority == Priority::high ? greatest : least));
}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this == &other) return *this;
  reset();
  context_ = std::move(other.context_);
  handle_ = std::exchange(other.handle_, nullptr);
  return *this;
}

void Stream::reset() noexcept {
  if (handle_ != nullptr) destroy(*context_, std::exchange(handle_, nullptr));
}

Event::Event(CudaContextPtr context, Timing timing) : context_(std::move(context)) {
  const DeviceGuard guard(*context_);
  const unsigned timed = timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming;
  STOKER_CUDA(cudaEventCreateWithFlags(&handle_, timed | cudaEventBlockingSync));
}

Event& Event::operator=(Event&& other) noexcept {
  if (this == &other) return *this;
  reset();
  context_ = std::move(other.context_);
  handle_ = std::exchange(other.handle_, nullptr);
  return *this;
}

void Event::reset() noexcept {
  if (handle_ != nullptr) destroy(*context_, std::exchange(handle_, nullptr));
}

PinnedBuffer::PinnedBuffer(CudaContextPtr context, std::size_t bytes)
    : context_(std::move(context)), bytes_(bytes) {
  const DeviceGuard guard(*context_);
  memory_ = static_cast<std::byte*>(map_near_device(bytes, context_->ordinal()));
  const cudaError_t status =
      cudaHostRegister(memory_, mapped_bytes(bytes), cudaHostRegisterPortable);
  if (status == cudaSuccess) return;
  cudaGetLastError();
  unmap(std::exchange(memory_, nullptr), bytes);
  throw Error(ErrorCode::out_of_memory,
              fmt::format("{} of host memory could not be pinned: cudaHostRegister failed with {} "
                          "({}); {}. Lower prefetch or batch_size, or go on with pin_memory = "
                          "false",
                          mega(bytes), cudaGetErrorName(status), cudaGetErrorString(status),
                          locked_memory_limits()));
}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  if (this == &other) return *this;
  reset();
  context_ = std::move(other.context_);
  memory_ = std::exchange(other.memory_, nullptr);
  bytes_ = other.bytes_;
  return *this;
}

PinnedBuffer PinnedBuffer::adopt(CudaContextPtr context, std::byte* memory,
                                 std::size_t bytes) noexcept {
  PinnedBuffer buffer;
  buffer.context_ = std::move(context);
  buffer.memory_ = memory;
  buffer.bytes_ = bytes;
  return buffer;
}

void PinnedBuffer::reset() noexcept {
  if (memory_ == nullptr) return;
  give_back(*context_, [&] { report_cuda(cudaHostUnregister(memory_), "cudaHostUnregister"); });
  unmap(std::exchange(memory_, nullptr), bytes_);
}

DeviceBuffer::DeviceBuffer(CudaContextPtr context, std::size_t bytes)
    : context_(std::move(context)), bytes_(bytes) {
  const DeviceGuard guard(*context_);
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes == 0 ? 1 : bytes);
  memory_ = static_cast<std::byte*>(memory);
  if (status != cudaErrorMemoryAllocation) {
    check_cuda(status, "cudaMalloc");
    return;
  }
  cudaGetLastError();
  std::size_t free = 0, total = 0;
  STOKER_CUDA(cudaMemGetInfo(&free, &total));
  throw Error(ErrorCode::out_of_memory,
              fmt::format("{} of memory of CUDA device {} are wanted, {} of {} are free: lower "
                          "device_prefetch or batch_size",
                          mega(bytes), context_->ordinal(), mega(free), mega(total)));
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this == &other) return *this;
  reset();
  context_ = std::move(other.context_);
  memory_ = std::exchange(other.memory_, nullptr);
  bytes_ = other.bytes_;
  return *this;
}

void DeviceBuffer::reset() noexcept {
  if (memory_ != nullptr) free_device_memory(*context_, std::exchange(memory_, nullptr));
}

}  // namespace stoker
