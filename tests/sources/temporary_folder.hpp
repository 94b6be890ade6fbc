#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stoker {

/// A folder of its own for a test, open to every user, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "stoker-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = pattern;
    std::filesystem::permissions(path_, std::filesystem::perms{0755});
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(std::string_view below) const { return path_ / below; }

  /// Writes a file, and makes the folders above it.
  std::filesystem::path write(std::string_view below, std::string_view content = "x") const {
    const std::filesystem::path file = path_ / below;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary).write(content.data(), std::ssize(content));
    return file;
  }
  /// Takes all permissions from a file or folder; returns its path.
  std::filesystem::path lock(std::string_view below) const {
    std::filesystem::permissions(path_ / below, std::filesystem::perms::none);
    return path_ / below;
  }
  void make_folder(std::string_view below) const {
    std::filesystem::create_directories(path_ / below);
  }
  /// Makes a link at `below` to `target`, which is taken as it is.
  void link(std::string_view target, std::string_view below) const {
    std::filesystem::create_symlink(target, path_ / below);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace stoker
