#pragma once

#include <stoker/pipeline/plan.hpp>

#include <cstdint>
#include <vector>

namespace stoker::cli {

/// Returns a uint8 result as interleaved RGB rows, whatever its layout.
std::vector<std::uint8_t> interleaved(const PlanOutput& output);
/// Returns a float result as float32 planes, whatever its layout and width.
std::vector<float> float_planes(const PlanOutput& output);

}  // namespace stoker::cli
