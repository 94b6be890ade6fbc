#pragma once

#include <cuda.h>
#include <sys/types.h>

namespace stoker {

/// A device's primary context, kept while this lives.
class CudaContext {
 public:
  /// @throws Error(device_error) where there is no such device.
  explicit CudaContext(int ordinal);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  int ordinal() const noexcept { return ordinal_; }
  CUcontext handle() const noexcept { return context_; }
  /// False in a process that was forked off: CUDA does not work there.
  bool is_of_this_process() const noexcept;

 private:
  int ordinal_;
  pid_t process_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

/// Makes a context current while this lives, and lets calls that capturing would forbid through.
/// The context is pushed and popped: to set the device and set it back would make a context on the
/// device that was current before (cudaSetDevice does, from CUDA 12 on).
class DeviceGuard {
 public:
  /// @throws Error(device_error), also in a process that was forked off.
  explicit DeviceGuard(const CudaContext& context);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  bool pushed_;  ///< it was not current before
  int mode_;
};

}  // namespace stoker
