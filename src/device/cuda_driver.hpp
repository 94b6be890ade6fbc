#pragma once

#include <cuda.h>

namespace stoker {

/// Calls of CUDA's driver, which is found at run time: a program that is linked with stoker starts
/// where there is none.
struct CudaDriver {
  decltype(&cuGetErrorName) get_error_name;
  decltype(&cuGetErrorString) get_error_string;
  decltype(&cuDeviceGet) device_get;
  decltype(&cuDevicePrimaryCtxRetain) primary_context_retain;
  decltype(&cuDevicePrimaryCtxRelease) primary_context_release;
  decltype(&cuDevicePrimaryCtxGetState) primary_context_state;
  decltype(&cuCtxPushCurrent) context_push;
  decltype(&cuCtxPopCurrent) context_pop;
  decltype(&cuCtxGetCurrent) context_current;
};

/// Returns the driver's calls. @throws Error(device_error) where there is no driver, it is older
/// than the toolkit that stoker was built with, or it has no device for this process.
const CudaDriver& cuda_driver();

/// True once the driver has shut down, at the process's end: calls fail then, and no work runs.
bool cuda_is_gone() noexcept;

}  // namespace stoker
