#pragma once

#include <stoker/engine/loader.hpp>

namespace stoker::torch {

/// Refuses what a loader would refuse of its options, whatever its samples are like: has a loader
/// of no use check them, on the host and with a thread or two. Leaves out batch_size, whose limit
/// is that of the batches there are.
/// @throws Error(invalid_argument) that names the option.
void check_options(LoaderOptions options);

}  // namespace stoker::torch
