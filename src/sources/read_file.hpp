#pragma once

#include <stoker/core/error.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stoker {

/// Reads a whole regular file into `storage` and returns the part of it that the file fills.
/// `storage` grows where it must and never shrinks, so that one used for many files soon allocates
/// no more, and no byte is cleared before it is read into. Fails with not_found, permission_denied,
/// empty_file for zero bytes, and io_error; never blocks on a pipe.
Result<std::span<const std::byte>> read_file(const std::string& path,
                                             std::vector<std::byte>& storage);

}  // namespace stoker
