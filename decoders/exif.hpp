#pragma once

#include "decoders/orientation.hpp"

#include <cstddef>
#include <span>

namespace stoker {

/// Finds the orientation that a JPEG's first EXIF block gives to the image: tag 0x0112 of its first
/// directory. Reads the file's segments up to the image data and trusts nothing in them: a missing,
/// broken or truncated block means upright. XMP is not read.
/// Source: CIPA DC-008 (Exif), sections 4.5 and 4.6.4; TIFF 6.0, section 2.
Orientation exif_orientation(std::span<const std::byte> jpeg) noexcept;

}  // namespace stoker
