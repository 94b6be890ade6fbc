#include "src/device/cuda_error.hpp"

#include "src/device/cuda_driver.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace stoker {
namespace {

/// "cudaMalloc" of "cudaMalloc(&memory, bytes)".
std::string_view name_of(std::string_view call) { return call.substr(0, call.find('(')); }

std::string place_of(const std::source_location& where) {
  const std::string_view file = where.file_name();
  return fmt::format("{}:{}", file.substr(file.find_last_of('/') + 1), where.line());
}

std::string failure(const char* call, std::string_view name, std::string_view meaning,
                    const std::source_location& where) {
  return fmt::format("{} failed with {} ({}) at {}", name_of(call), name, meaning, place_of(where));
}

}  // namespace

bool is_sticky(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorExternalDevice: return true;
    default: return false;
  }
}

void check_cuda(cudaError_t status, const char* call, std::source_location where) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const ErrorCode code =
      status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device_error;
  throw CudaError(code, failure(call, cudaGetErrorName(status), cudaGetErrorString(status), where),
                  status);
}

void check_cuda(CUresult status, const char* call, std::source_location where) {
  if (status == CUDA_SUCCESS) return;
  const ErrorCode code =
      status == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::out_of_memory : ErrorCode::device_error;
  const char* name = "an unknown error";
  const char* meaning = "";
  const CudaDriver& driver = cuda_driver();
  driver.get_error_name(status, &name);
  driver.get_error_string(status, &meaning);
  throw Error(code, failure(call, name, meaning, where));
}

void report_cuda(cudaError_t status, const char* call) noexcept {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  if (status == cudaErrorCudartUnloading || status == cudaErrorContextIsDestroyed ||
      is_sticky(status)) {
    return;
  }
  const std::string_view name = name_of(call);
  std::fprintf(stderr, "stoker: %.*s failed with %s while something was given back\n",
               static_cast<int>(name.size()), name.data(), cudaGetErrorName(status));
}

}  // namespace stoker
