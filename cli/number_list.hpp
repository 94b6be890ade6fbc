#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::cli {

/// Reads numbers that are separated by commas or white space: "3,1,2", or "@FILE" for a file's
/// content. `option` names where they come from in errors.
/// @throws Error(invalid_argument) for what is no number, Error(not_found), Error(io_error)
std::vector<double> number_list(const std::string& option, const std::string& text);
/// The same for whole numbers from 0 to 2^64 - 1.
std::vector<std::uint64_t> whole_number_list(const std::string& option, const std::string& text);

}  // namespace stoker::cli
