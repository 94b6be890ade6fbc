#include "src/device/cuda_driver.hpp"

#include "src/device/cuda_error.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace stoker {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// All calls that are asked for are older and have not changed since, so that a driver of the
// toolkit's major version does, whatever its minor one is.
constexpr unsigned entry_version = 12000;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::device_error, message);
}

std::string visible_devices() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? "" : fmt::format(" (CUDA_VISIBLE_DEVICES is \"{}\")", visible);
}

/// The runtime says "insufficient driver" for both: no driver, and one that is too old.
void check_driver() {
  int driver = 0;
  STOKER_CUDA(cudaDriverGetVersion(&driver));
  if (driver == 0) refuse("there is no CUDA driver on this machine");
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice) {
    cudaGetLastError();
    refuse("there is a CUDA driver, but no CUDA device that this process may use" +
           visible_devices());
  }
  if (status == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    refuse(
        fmt::format("the CUDA driver supports CUDA {}, stoker was built with {}: update the "
                    "driver, or build with an older toolkit",
                    version_text(driver), version_text(CUDART_VERSION)));
  }
  check_cuda(status, "cudaGetDeviceCount");
}

template <class Function>
void find(Function& function, const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult result{};
  STOKER_CUDA(
      cudaGetDriverEntryPointByVersion(name, &address, entry_version, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess || address == nullptr) {
    refuse(fmt::format("the CUDA driver has no {}", name));
  }
  function = reinterpret_cast<Function>(address);
}

CudaDriver load() {
  check_driver();
  CudaDriver driver{};
  find(driver.get_error_name, "cuGetErrorName");
  find(driver.get_error_string, "cuGetErrorString");
  find(driver.device_get, "cuDeviceGet");
  find(driver.primary_context_retain, "cuDevicePrimaryCtxRetain");
  find(driver.primary_context_release, "cuDevicePrimaryCtxRelease");
  find(driver.primary_context_state, "cuDevicePrimaryCtxGetState");
  find(driver.context_push, "cuCtxPushCurrent");
  find(driver.context_pop, "cuCtxPopCurrent");
  find(driver.context_current, "cuCtxGetCurrent");
  return driver;
}

}  // namespace

const CudaDriver& cuda_driver() {
  static const CudaDriver driver = load();
  return driver;
}

bool cuda_is_gone() noexcept {
  CUcontext current = nullptr;
  return cuda_driver().context_current(&current) == CUDA_ERROR_DEINITIALIZED;
}

}  // namespace stoker
