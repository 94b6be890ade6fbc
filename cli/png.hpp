#pragma once

#include <stoker/core/image.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stoker::cli {

/// Encodes interleaved RGB rows as PNG.
/// @throws Error(unsupported) in a build without OpenCV.
std::vector<std::byte> encode_png(Size size, std::span<const std::uint8_t> rgb);

}  // namespace stoker::cli
