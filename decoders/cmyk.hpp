#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker {

/// Converts `pixels` pixels of inverted CMYK, 4 bytes each, as libjpeg gives them, to RGB, 3 bytes
/// each: R = K - round((255 - C) K / 255), and so for G and B with M and Y, where C, M, Y, K are
/// the inverted values. The areas must not overlap.
///
/// Source: Pillow, which takes the CMYK of every JPEG as inverted (JpegImagePlugin.py) and then
/// converts by this rule (src/libImaging/Convert.c, cmyk2rgb).
void inverted_cmyk_to_rgb(const std::uint8_t* cmyk, std::size_t pixels, std::uint8_t* rgb);

}  // namespace stoker
