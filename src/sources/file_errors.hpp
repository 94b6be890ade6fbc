#pragma once

#include <stoker/core/error.hpp>

#include <string_view>

namespace stoker {

/// Returns the code for an errno value of opening or reading a file or directory.
ErrorCode code_of_errno(int error) noexcept;

/// Describes why `path` could not be opened or read.
Failure file_failure(std::string_view path, int error);

/// Throws what `file_failure` describes.
[[noreturn]] void throw_file_error(std::string_view path, int error);

}  // namespace stoker
