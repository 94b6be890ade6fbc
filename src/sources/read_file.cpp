#include "src/sources/read_file.hpp"

#include "src/sources/file_errors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace stoker {
namespace {

class FileDescriptor {
 public:
  // O_NONBLOCK keeps a pipe that nobody writes to from blocking; regular files ignore it.
  explicit FileDescriptor(const char* path) noexcept {
    do {
      value_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (value_ < 0 && errno == EINTR);
  }
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int value() const noexcept { return value_; }

 private:
  int value_ = -1;
};

Result<std::size_t> size_of_file(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) return tl::unexpected(file_failure(path, errno));
  if (S_ISDIR(status.st_mode)) return tl::unexpected(file_failure(path, EISDIR));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::io_error, fmt::format("\"{}\" is not a regular file", path));
  }
  if (status.st_size == 0) {
    return fail(ErrorCode::empty_file, fmt::format("\"{}\" has zero bytes", path));
  }
  return static_cast<std::size_t>(status.st_size);
}

// Size and not capacity is kept at the largest file: vector::resize would clear what it adds.
void grow(std::vector<std::byte>& storage, std::size_t bytes) {
  constexpr std::size_t step = std::size_t{64} << 10;
  if (storage.size() >= bytes) return;
  storage.clear();  // nothing to copy while it grows
  storage.resize((bytes + step - 1) / step * step);
}

}  // namespace

Result<std::span<const std::byte>> read_file(const std::string& path,
                                             std::vector<std::byte>& storage) {
  const FileDescriptor file(path.c_str());
  if (file.value() < 0) return tl::unexpected(file_failure(path, errno));
  const Result<std::size_t> size = size_of_file(file, path);
  if (!size) return tl::unexpected(size.error());
  grow(storage, *size);
  std::size_t filled = 0;
  while (filled < *size) {
    const ssize_t got = ::read(file.value(), storage.data() + filled, *size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(file_failure(path, errno));
    if (got == 0) break;  // became shorter meanwhile: what is there is decoded, or found truncated
    filled += static_cast<std::size_t>(got);
  }
  if (filled == 0) return fail(ErrorCode::empty_file, fmt::format("\"{}\" has zero bytes", path));
  return std::span<const std::byte>(storage.data(), filled);
}

}  // namespace stoker
