#pragma once

#include "decoders/format.hpp"
#include <stoker/core/error.hpp>
#include <stoker/core/image.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace stoker {

/// Decodes formats other than JPEG to RGB through OpenCV where the build has it: alpha is dropped,
/// 16-bit channels keep their upper byte, orientation tags are ignored. The libraries behind OpenCV
/// may print warnings about broken files. Not thread-safe.
class OtherFormatsDecoder {
 public:
  OtherFormatsDecoder();
  ~OtherFormatsDecoder();

  /// Decodes the whole image and keeps it. Returns its size. For PNG, `max_pixels` is checked
  /// before decoding; for the rest behind it, where OpenCV's own limit of 2^30 pixels protects.
  Result<Size> open(std::span<const std::byte> bytes, Format format, std::uint64_t max_pixels);

  /// Copies the pixels of `window`, which lies inside the image that `open` decoded.
  void copy(const Rect& window, Image& out) const;

  /// Bytes of memory held.
  std::size_t capacity() const noexcept;

 private:
  struct Pixels;
  std::unique_ptr<Pixels> pixels_;
};

}  // namespace stoker
