#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace stoker::bench {

/// Queues a kernel that takes so long and stands for a training step: all other multiprocessors
/// stay free, as do the copy engines.
void launch_spin(cudaStream_t stream, std::uint64_t nanoseconds);

/// Queues a kernel that does nothing.
void launch_nothing(cudaStream_t stream);

}  // namespace stoker::bench
