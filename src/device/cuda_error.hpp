#pragma once

#include <stoker/core/error.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

namespace stoker {

/// An error that keeps CUDA's status.
class CudaError final : public Error {
 public:
  CudaError(ErrorCode code, const std::string& message, cudaError_t status)
      : Error(code, message), status_(status) {}
  cudaError_t status() const noexcept { return status_; }

 private:
  cudaError_t status_;
};

/// Throws unless `status` is success: CudaError(out_of_memory) or CudaError(device_error) with
/// call, status and place. Clears the error, so that a later call's check does not meet it again.
void check_cuda(cudaError_t status, const char* call,
                std::source_location where = std::source_location::current());
void check_cuda(CUresult status, const char* call,
                std::source_location where = std::source_location::current());

/// For destructors: says on stderr what failed, but nothing where the process is about to end and
/// CUDA is gone already, or where the device failed for good, which was reported then.
void report_cuda(cudaError_t status, const char* call) noexcept;

/// True for errors after which no call on the device works any more.
bool is_sticky(cudaError_t status) noexcept;

}  // namespace stoker

/// Makes a call of CUDA's and checks it.
#define STOKER_CUDA(call) ::stoker::check_cuda((call), #call)
