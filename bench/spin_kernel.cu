#include "bench/spin_kernel.hpp"

namespace stoker::bench {
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

__global__ void nothing() {}

}  // namespace

void launch_spin(cudaStream_t stream, std::uint64_t nanoseconds) {
  spin<<<1, 1, 0, stream>>>(nanoseconds);
}

void launch_nothing(cudaStream_t stream) { nothing<<<1, 1, 0, stream>>>(); }

}  // namespace stoker::bench
