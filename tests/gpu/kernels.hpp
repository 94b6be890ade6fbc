#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace stoker::testing {

/// Queues a kernel that keeps a stream busy for so long.
void launch_spin(cudaStream_t stream, std::uint64_t nanoseconds);
/// Queues a kernel that writes to an address that nobody has.
void launch_fault(cudaStream_t stream);

}  // namespace stoker::testing
