#include "src/engine/atomic_file.hpp"

#include "src/sources/file_errors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace stoker {
namespace {

[[noreturn]] void throw_write_error(const std::string& path, int error) {
  throw Error(code_of_errno(error), fmt::format("\"{}\" cannot be written: {}", path,
                                                std::generic_category().message(error)));
}

/// A file that is removed again unless it is published.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) : target_(target) {
    std::random_device random;  // processes on several machines may share the directory
    path_ = fmt::format("{}.{:08x}{:08x}.tmp", target, random(), random());
    descriptor_ = ::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw_write_error(target_, errno);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!published_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw_write_error(target_, errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// Takes the target's place once the content is on the disk.
  void publish() {
    if (::fsync(descriptor_) != 0) throw_write_error(target_, errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) throw_write_error(target_, errno);
    if (::rename(path_.c_str(), target_.c_str()) != 0) throw_write_error(target_, errno);
    published_ = true;
  }

 private:
  std::string target_, path_;
  int descriptor_ = -1;
  bool published_ = false;
};

/// Brings the new name on to the disk too. Some file systems cannot, and need not be told.
void sync_directory(const std::filesystem::path& path) {
  const std::string directory = path.has_parent_path() ? path.parent_path().string() : ".";
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  TemporaryFile file(path.string());
  file.write(text);
  file.publish();
  sync_directory(path);
}

std::filesystem::path file_to_replace(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) throw_write_error(path.string(), error.value());
  const bool is_link = fs::is_symlink(fs::symlink_status(absolute, error));
  const fs::file_status status = fs::status(absolute, error);
  if (!fs::status_known(status)) throw_write_error(path.string(), error.value());
  if (!fs::exists(status)) {
    if (is_link) throw_write_error(path.string(), ENOENT);
    return absolute;
  }
  if (fs::is_directory(status)) throw_write_error(path.string(), EISDIR);
  if (!fs::is_regular_file(status)) {
    throw Error(ErrorCode::io_error,
                fmt::format("\"{}\" cannot be written: it is no regular file", path.string()));
  }
  fs::path target = fs::canonical(absolute, error);
  if (error) throw_write_error(path.string(), error.value());
  return target;
}

void check_writable(const std::filesystem::path& path) { const TemporaryFile file(path.string()); }

}  // namespace stoker
