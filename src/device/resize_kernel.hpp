#pragma once

#include <stoker/device/resize_task.hpp>

#include <cuda_runtime_api.h>

namespace stoker {

/// Queues a task on a stream of the current device. Returns what launching it said.
cudaError_t launch_resize(const ResizeTask& task, cudaStream_t stream);

}  // namespace stoker
