#pragma once

#include <filesystem>
#include <string_view>

namespace stoker {

/// Writes a file so that whoever reads the path finds the old content or all of the new one,
/// whatever happens in between: to a temporary file beside it, on to the disk, renamed.
/// @throws Error(not_found), Error(permission_denied), Error(io_error)
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Returns the file that is replaced where this path is written: absolute, so that a later change
/// of the working directory makes no difference, and with symbolic links followed, so that they
/// stay. @throws Error(io_error) for what is no regular file (a device, a pipe), Error(not_found)
/// for a link that leads nowhere.
std::filesystem::path file_to_replace(const std::filesystem::path& path);

/// Throws what `write_file_atomically` would meet in the path's directory, and changes nothing.
void check_writable(const std::filesystem::path& path);

}  // namespace stoker
