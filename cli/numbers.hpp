#pragma once

#include <CLI/CLI.hpp>

namespace stoker::cli {

/// Accepts whole numbers from 0 to 2^64 - 1 written in digits: without it "-1" would be taken for
/// the largest number, and a larger one cut down to it.
CLI::Validator whole_number();

}  // namespace stoker::cli
