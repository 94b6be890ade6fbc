#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace stoker::cli {

/// Reads a whole file. @throws Error(not_found), Error(permission_denied), Error(io_error)
std::vector<std::byte> read_file(const std::filesystem::path& path);
/// Writes a whole file. @throws Error(permission_denied), Error(io_error)
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace stoker::cli
