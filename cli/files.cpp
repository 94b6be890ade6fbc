#include "cli/files.hpp"

#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

namespace stoker::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void throw_errno(const char* doing, const std::filesystem::path& path, int number) {
  ErrorCode code = ErrorCode::io_error;
  if (number == ENOENT || number == ENOTDIR) code = ErrorCode::not_found;
  if (number == EACCES || number == EPERM || number == EROFS) code = ErrorCode::permission_denied;
  throw Error(code, fmt::format("cannot {} {}: {}", doing, path.string(),
                                std::generic_category().message(number)));
}

File open(const std::filesystem::path& path, const char* mode, const char* doing) {
  File file(std::fopen(path.c_str(), mode));
  if (!file) throw_errno(doing, path, errno);
  return file;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  struct stat status {};
  // Before opening: that would wait for a writer where the path is a pipe.
  if (::stat(path.c_str(), &status) != 0) throw_errno("read", path, errno);
  if (S_ISDIR(status.st_mode)) throw_errno("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io_error,
                fmt::format("cannot read {}: not a regular file", path.string()));
  }
  const File file = open(path, "rb", "read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), file.get());
  if (std::ferror(file.get()) != 0) throw_errno("read", path, errno);
  bytes.resize(count);
  return bytes;
}

void check_writable(const std::filesystem::path& path) {
  using std::filesystem::file_type;
  std::error_code unknown;  // where a folder may not be looked into: opening tells why
  const file_type type = std::filesystem::status(path, unknown).type();
  for (const file_type special :
       {file_type::fifo, file_type::socket, file_type::character, file_type::block}) {
    if (type == special) return;
  }
  open(path, "ab", "write");
  // Of a link that led nowhere it is the file behind it that was made.
  if (type == file_type::not_found) std::filesystem::remove(std::filesystem::canonical(path));
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const File file = open(path, "wb", "write");
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  if (written && std::fflush(file.get()) == 0) return;
  const int number = errno;
  if (std::filesystem::is_regular_file(path)) std::filesystem::remove(path);
  throw_errno("write", path, number);
}

}  // namespace stoker::cli
