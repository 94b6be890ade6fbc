#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace stoker::cli {

/// Reads a whole file. @throws Error(not_found), Error(permission_denied), Error(io_error)
std::vector<std::byte> read_file(const std::filesystem::path& path);
/// Finds out whether a file can be written, before work whose result it is to hold. The file stays
/// as it is, and away where it was away. Only a regular file is tried: a pipe's reader would
/// notice.
/// @throws Error(not_found) where its folder is missing, Error(permission_denied), Error(io_error)
void check_writable(const std::filesystem::path& path);
/// Writes a whole file; a regular one that cannot be written to its end is removed.
/// @throws Error(not_found), Error(permission_denied), Error(io_error)
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace stoker::cli
