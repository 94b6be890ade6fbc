#include "src/sources/directory.hpp"

#include "src/sources/file_errors.hpp"
#include <stoker/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

namespace stoker {

bool is_directory(int directory, const char* name, unsigned char kind) noexcept {
  if (kind != DT_LNK && kind != DT_UNKNOWN) return kind == DT_DIR;
  struct stat status {};
  return ::fstatat(directory, name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

Directory::Directory(std::string path)
    : path_(std::move(path)), directory_(::opendir(path_.c_str())) {
  if (directory_) return;
  if (errno == ENOTDIR) {
    throw Error(ErrorCode::invalid_argument, fmt::format("\"{}\" is not a directory", path_));
  }
  throw_file_error(path_, errno);
}

DirectoryIdentity Directory::identity() const {
  struct stat status {};
  if (::fstat(::dirfd(directory_.get()), &status) != 0) throw_file_error(path_, errno);
  return {status.st_dev, status.st_ino};
}

std::optional<DirectoryEntry> Directory::next() {
  for (;;) {
    errno = 0;  // the only way to tell an error from the end
    const dirent* entry = ::readdir(directory_.get());
    if (!entry && errno != 0) throw_file_error(path_, errno);
    if (!entry) return std::nullopt;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    return DirectoryEntry{name,
                          is_directory(::dirfd(directory_.get()), entry->d_name, entry->d_type)};
  }
}

}  // namespace stoker
