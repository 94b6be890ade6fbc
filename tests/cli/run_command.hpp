#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stoker::cli {

/// What the command left behind.
struct CommandResult {
  int status = -1;  ///< exit status; -1 where a signal ended it
  std::string output;
  std::string errors;
};

/// Runs the built command with these arguments, without the privilege of reading files that the
/// user may not read. Its output goes to a file of that name, if one is given, and not to the
/// result.
CommandResult run_command(const std::vector<std::string>& arguments,
                          const std::string& output_file = "");

/// A folder that exists as long as this does.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string string() const { return path_.string(); }
  /// Writes a file, with the folders above it, and returns its path.
  std::string write(const std::string& name, const std::string& content) const;
  /// Copies one of the test images to that name and returns its path.
  std::string copy_image(const std::string& image, const std::string& name) const;

 private:
  std::filesystem::path path_;
};

/// A file's content.
std::string content_of(const std::string& path);

}  // namespace stoker::cli
