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

void StreamDeleter::operator()(cudaStream_t stream) const noexcept {
  give_back(*context, [&] {
    report_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    report_cuda(cudaStreamDestroy(stream), "cudaStreamDestroy");
  });
}

void EventDeleter::operator()(cudaEvent_t event) const noexcept {
  give_back(*context, [&] { report_cuda(cudaEventDestroy(event), "cudaEventDestroy"); });
}

void PinnedDeleter::operator()(std::byte* memory) const noexcept {
  give_back(*context, [&] { report_cuda(cudaHostUnregister(memory), "cudaHostUnregister"); });
  unmap(memory, bytes);
}

void DeviceMemoryDeleter::operator()(std::byte* memory) const noexcept {
  give_back(*context, [&] { report_cuda(cudaFree(memory), "cudaFree"); });
}

Stream::Stream(CudaContextPtr context, Priority priority) : handle_(nullptr, {context}) {
  const DeviceGuard guard(*context);
  int least = 0, greatest = 0;
  STOKER_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  STOKER_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                           priority == Priority::high ? greatest : least));
  handle_.reset(stream);
}

Event::Event(CudaContextPtr context, Timing timing) : handle_(nullptr, {context}) {
  const DeviceGuard guard(*context);
  const unsigned timed = timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming;
  cudaEvent_t event = nullptr;
  STOKER_CUDA(cudaEventCreateWithFlags(&event, timed | cudaEventBlockingSync));
  handle_.reset(event);
}

PinnedBuffer::PinnedBuffer(CudaContextPtr context, std::size_t bytes)
    : memory_(nullptr, {context, bytes}) {
  const DeviceGuard guard(*context);
  void* const memory = map_near_device(bytes, context->ordinal());
  const cudaError_t status =
      cudaHostRegister(memory, mapped_bytes(bytes), cudaHostRegisterPortable);
  if (status == cudaSuccess) {
    memory_.reset(static_cast<std::byte*>(memory));
    return;
  }
  cudaGetLastError();
  unmap(memory, bytes);
  throw Error(
      ErrorCode::out_of_memory,
      pinning_failure(bytes, fmt::format("cudaHostRegister failed with {} ({})",
                                         cudaGetErrorName(status), cudaGetErrorString(status))));
}

DeviceBuffer::DeviceBuffer(CudaContextPtr context, std::size_t bytes)
    : memory_(nullptr, {context}), bytes_(bytes) {
  const DeviceGuard guard(*context);
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes == 0 ? 1 : bytes);
  if (status != cudaErrorMemoryAllocation) {
    check_cuda(status, "cudaMalloc");
    memory_.reset(static_cast<std::byte*>(memory));
    return;
  }
  cudaGetLastError();
  std::size_t free = 0, total = 0;
  STOKER_CUDA(cudaMemGetInfo(&free, &total));
  throw Error(ErrorCode::out_of_memory,
              fmt::format("{} of memory of CUDA device {} are wanted, {} of {} are free: lower "
                          "device_prefetch or batch_size",
                          mega(bytes), context->ordinal(), mega(free), mega(total)));
}

}  // namespace stoker
