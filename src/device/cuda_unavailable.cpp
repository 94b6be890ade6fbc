#include <stoker/core/error.hpp>
#include <stoker/device/cuda.hpp>

namespace stoker {

int cuda_device_count() noexcept { return 0; }

DevicePtr cuda(int /*ordinal*/, CudaOptions /*options*/) {
  throw Error(ErrorCode::unsupported,
              "stoker was built without CUDA: install the CUDA toolkit and build it again");
}

}  // namespace stoker
