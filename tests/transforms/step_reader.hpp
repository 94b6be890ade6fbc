#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/core/operation.hpp>

#include <string_view>

namespace stoker::testing {

/// Reads `name` or `name(value, key=value, key=[1, 2])`, the part of the pipeline language that one
/// step needs. Columns count from 1.
Arguments read_arguments(std::string_view text);

/// Makes the step through the registry. Throws Error(invalid_pipeline), or std::invalid_argument
/// where the text is not of the form above or names no operation.
Step read_step(std::string_view text);

}  // namespace stoker::testing
