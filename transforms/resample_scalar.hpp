#pragma once

#include "transforms/resample_kernels.hpp"

namespace stoker::resample {

/// Kernels that work on one number at a time, for CPUs that the others don't know.
const Kernels& scalar_kernels();

}  // namespace stoker::resample
