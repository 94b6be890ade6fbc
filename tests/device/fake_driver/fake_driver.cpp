// Plays libcuda.so.1, as far as the CUDA runtime gets: what goes wrong, the environment says.
#include <cuda.h>

#include <cstdlib>
#include <string_view>

// The header declares the calls under the names that it maps them to.
extern "C" CUresult CUDAAPI cuInit(unsigned) {
  const char* const status = std::getenv("FAKE_DRIVER_INIT");
  return status == nullptr ? CUDA_SUCCESS : static_cast<CUresult>(std::atoi(status));
}

extern "C" CUresult CUDAAPI cuDriverGetVersion(int* version) {
  const char* const wanted = std::getenv("FAKE_DRIVER_VERSION");
  *version = wanted == nullptr ? CUDA_VERSION : std::atoi(wanted);
  return CUDA_SUCCESS;
}

namespace {

/// Stands for every call that this driver has in name only.
CUresult not_supported() { return CUDA_ERROR_NOT_SUPPORTED; }

template <class Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

extern "C" CUresult CUDAAPI cuGetProcAddress(const char* symbol, void** function, int, cuuint64_t,
                                             CUdriverProcAddressQueryResult* result) {
  const std::string_view name(symbol);
  *function = name == "cuInit"               ? address_of(&cuInit)
              : name == "cuDriverGetVersion" ? address_of(&cuDriverGetVersion)
              : name == "cuGetProcAddress"   ? address_of(&cuGetProcAddress)
                                             : address_of(&not_supported);
  if (result != nullptr) *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}
