#include "src/sources/file_errors.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace stoker {

ErrorCode code_of_errno(int error) noexcept {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return ErrorCode::not_found;
    case EACCES:
    case EPERM: return ErrorCode::permission_denied;
    case ENOMEM: return ErrorCode::out_of_memory;
    default: return ErrorCode::io_error;
  }
}

Failure file_failure(std::string_view path, int error) {
  const std::string reason = std::generic_category().message(error);
  return {code_of_errno(error), fmt::format("\"{}\" cannot be read: {}", path, reason)};
}

void throw_file_error(std::string_view path, int error) {
  const Failure failure = file_failure(path, error);
  throw Error(failure.code, failure.message);
}

}  // namespace stoker
