#pragma once

#include <stoker/device/finish_task.hpp>

#include <cuda_runtime_api.h>

namespace stoker {

/// Queues a task on a stream of the current device. Returns what launching it said.
cudaError_t launch_finish(const FinishTask& task, cudaStream_t stream);

}  // namespace stoker
