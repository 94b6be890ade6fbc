#pragma once

#include <filesystem>
#include <string_view>

namespace stoker {

/// Writes a file so that whoever reads the path finds the old content or all of the new one,
/// whatever happens in between: to a temporary file beside it, on to the disk, renamed.
/// @throws Error(not_found), Error(permission_denied), Error(io_error)
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Throws what `write_file_atomically` would meet in the path's directory, and changes nothing.
void check_writable(const std::filesystem::path& path);

}  // namespace stoker
