#pragma once

#include <stoker/device/finish_task.hpp>

namespace stoker {

/// Carries a task out on memory of the host, in the plainest way: for devices that are the host's,
/// and what kernels are held against.
void finish_on_host(const FinishTask& task);

}  // namespace stoker
