#include "bench/json_file.hpp"

#include "cli/files.hpp"

#include <span>
#include <string>

namespace stoker::bench {

void check_json_file(const std::filesystem::path& path) {
  if (!path.empty()) cli::check_writable(path);
}

void write_json(const nlohmann::ordered_json& figures, const std::filesystem::path& path) {
  const std::string text = figures.dump(2) + "\n";
  cli::write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace stoker::bench
