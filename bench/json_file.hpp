#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace stoker::bench {

/// Finds out before anything is measured whether `write_json` will be able to write the file, which
/// stays as it is. An empty path is none. @throws Error as cli::check_writable does.
void check_json_file(const std::filesystem::path& path);

/// Writes figures for programs and people to read. @throws Error as cli::write_file does.
void write_json(const nlohmann::ordered_json& figures, const std::filesystem::path& path);

}  // namespace stoker::bench
