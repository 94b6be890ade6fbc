#pragma once

#include <stoker/device/resize_task.hpp>

namespace stoker {

/// Carries a task out on memory of the host, in the plainest way: for devices that are the host's,
/// and what kernels are held against.
void resize_on_host(const ResizeTask& task);

}  // namespace stoker
