#pragma once

#include "bench/spin_kernel.hpp"

#include <cuda_runtime_api.h>

namespace stoker::testing {

using bench::launch_spin;

/// Queues a kernel that writes to an address that nobody has.
void launch_fault(cudaStream_t stream);

}  // namespace stoker::testing
