#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker {

/// The end of a batch's way: each 8-bit RGB value is looked up in its channel's table of 256, and
/// the results are laid out. All memory is the device's.
struct FinishTarget {
  const std::byte* tables = nullptr;  ///< [3, 256] elements; 4-byte aligned
  std::byte* out = nullptr;           ///< [count, 3, height, width] elements, or [count, h, w, 3]
  std::uint32_t count = 0;            ///< images
  std::uint32_t height = 0;           ///< pixels
  std::uint32_t width = 0;            ///< pixels
  std::uint32_t element_bytes = 1;    ///< of a result: 1, 2 or 4
  bool planar = true;                 ///< NCHW rather than NHWC
};

/// What there is to be done with an image.
enum class ImageState : std::uint8_t {
  absent,  ///< nothing: its place is filled with zero elements
  upright,
  mirrored,  ///< it is mirrored from left to right
};

/// What a device does with a batch of 8-bit RGB images of one size: mirrors those that are to be
/// and finishes them.
struct FinishTask : FinishTarget {
  const std::uint8_t* pixels = nullptr;  ///< [count, height, width, 3]; the device's memory
  const ImageState* states = nullptr;    ///< [count]; the device's memory
};

}  // namespace stoker
