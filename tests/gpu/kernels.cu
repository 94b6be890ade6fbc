#include "tests/gpu/kernels.hpp"

namespace stoker::testing {
namespace {

__global__ void fault() { *reinterpret_cast<volatile int*>(0x10) = 1; }

}  // namespace

void launch_fault(cudaStream_t stream) { fault<<<1, 1, 0, stream>>>(); }

}  // namespace stoker::testing
