#include "src/device/cuda_context.hpp"

#include "src/device/cuda_driver.hpp"
#include "src/device/cuda_error.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

namespace stoker {
namespace {

/// @throws Error where there is no driver or no such device.
void check_ordinal(int ordinal) {
  cuda_driver();
  int count = 0;
  STOKER_CUDA(cudaGetDeviceCount(&count));
  if (ordinal >= 0 && ordinal < count) return;
  throw Error(ErrorCode::device_error,
              fmt::format("there is no CUDA device {}: this process may use {}, numbered from 0",
                          ordinal, count));
}

}  // namespace

CudaContext::CudaContext(int ordinal) : ordinal_(ordinal), process_(::getpid()) {
  check_ordinal(ordinal);
  STOKER_CUDA(cuda_driver().device_get(&device_, ordinal));
  STOKER_CUDA(cuda_driver().primary_context_retain(&context_, device_));
}

CudaContext::~CudaContext() {
  // At the process's end the driver may be gone, and there is nothing left to give back.
  if (is_of_this_process()) cuda_driver().primary_context_release(device_);
}

bool CudaContext::is_of_this_process() const noexcept { return ::getpid() == process_; }

DeviceGuard::DeviceGuard(const CudaContext& context) {
  if (!context.is_of_this_process()) {
    throw Error(ErrorCode::device_error,
                "CUDA was initialised before this process was forked off and does not work in it: "
                "make the device and its loaders in the child, or start a new process");
  }
  const CudaDriver& driver = cuda_driver();
  CUcontext current = nullptr;
  STOKER_CUDA(driver.context_current(&current));
  pushed_ = current != context.handle();
  if (pushed_) STOKER_CUDA(driver.context_push(context.handle()));
  auto mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  mode_ = mode;
}

DeviceGuard::~DeviceGuard() {
  auto mode = static_cast<cudaStreamCaptureMode>(mode_);
  cudaThreadExchangeStreamCaptureMode(&mode);
  CUcontext popped = nullptr;
  if (pushed_) cuda_driver().context_pop(&popped);
}

}  // namespace stoker
