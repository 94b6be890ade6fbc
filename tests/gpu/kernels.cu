#include "tests/gpu/kernels.hpp"

namespace stoker::testing {
namespace {

__device__ std::uint64_t now() {
  std::uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

__global__ void spin(std::uint64_t nanoseconds) {
  const std::uint64_t end = now() + nanoseconds;
  while (now() < end) {
  }
}

__global__ void fault() { *reinterpret_cast<volatile int*>(0x10) = 1; }

}  // namespace

void launch_spin(cudaStream_t stream, std::uint64_t nanoseconds) {
  spin<<<1, 1, 0, stream>>>(nanoseconds);
}

void launch_fault(cudaStream_t stream) { fault<<<1, 1, 0, stream>>>(); }

}  // namespace stoker::testing
