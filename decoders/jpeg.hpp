#pragma once

#include "decoders/jpeg_session.hpp"
#include <stoker/core/aligned_buffer.hpp>
#include <stoker/core/error.hpp>
#include <stoker/core/image.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

/// Decodes JPEG files to RGB as they are stored, not turned. Not thread-safe.
class JpegDecoder {
 public:
  /// Reads a file's header; `bytes` must stay valid until it is decoded. Returns the stored size.
  Result<Size> open(std::span<const std::byte> bytes, std::uint64_t max_pixels);

  /// Decodes at least `window`, which lies inside the image scaled by 1/denominator (sides rounded
  /// up) and counts its pixels; returns what `out` then holds. Only the pixels inside `window` are
  /// certain: those beside it may lack the colour of pixels that were not decoded. Reads on to the
  /// end of the file where `to_the_end`. Once per `open`.
  Result<Rect> decode(const Rect& window, int denominator, bool to_the_end, Image& out);

  /// Bytes of memory held besides libjpeg's own pools.
  std::size_t capacity() const noexcept { return rows_.capacity(); }

 private:
  JpegSession session_;
  AlignedBuffer rows_;  ///< rows that do not go straight to the image: CMYK, or those to throw away
};

}  // namespace stoker
