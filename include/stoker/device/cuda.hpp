#pragma once

#include <stoker/device/device.hpp>

namespace stoker {

/// How a CUDA device is used.
struct CudaOptions {
  /// Pin host memory, so that copies run at the bus's speed and beside the host's work. Without,
  /// copies are several times slower and block the loader's copying thread.
  bool pin_memory = true;
};

/// Number of CUDA devices that this process may use; 0 where there is no driver or this build has
/// no CUDA. Makes no context.
int cuda_device_count() noexcept;

/// Returns a CUDA device for a loader to deliver to. Its primary context (the one that LibTorch and
/// the CUDA runtime use too) is made at once and kept while the device lives; no other device's is.
/// StreamRef and EventRef hold a cudaStream_t and a cudaEvent_t: `StreamRef{
/// reinterpret_cast<std::uintptr_t>(stream)}`; the default one is the legacy default stream.
///
/// No call changes the calling thread's current device, and none disturbs a stream capture that is
/// under way on any thread. Errors name call, status and place; an error that the device does not
/// recover from is told in full once, later calls say that it failed earlier.
/// @throws Error(unsupported) where this build has no CUDA, Error(device_error) where there is no
/// driver, one older than this build's toolkit, or no such device.
DevicePtr cuda(int ordinal, CudaOptions options = {});

}  // namespace stoker
