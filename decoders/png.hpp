#pragma once

#include <stoker/core/error.hpp>
#include <stoker/core/image.hpp>

#include <cstddef>
#include <span>

namespace stoker {

/// Reads a PNG's size from its header and follows its chunks to the end, without decoding: what
/// must be known before a decoder allocates. Fails with truncated or corrupt.
///
/// Source: W3C, Portable Network Graphics (PNG) Specification, sections 5.3 and 11.2.2.
Result<Size> check_png(std::span<const std::byte> bytes);

}  // namespace stoker
