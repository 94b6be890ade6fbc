#pragma once

#include <stoker/device/finish_task.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace stoker {

/// The antialiased filters that a device resizes with.
enum class ResizeFilter : std::uint8_t {
  none,  ///< each wanted pixel is a source pixel as it is
  bilinear,
  bicubic,
};

/// One axis of a resize: source pixels [begin, end) of `source` become `size` pixels, of which
/// those from `first` on are wanted. With ResizeFilter::none the wanted pixels are those from begin
/// + first on.
struct ResizeAxis {
  std::int32_t source = 0;  ///< pixels of the whole source
  std::int32_t held = 0;    ///< the first of them that the batch holds
  float begin = 0;
  float end = 0;
  std::int32_t size = 0;
  std::int32_t first = 0;
  ResizeFilter filter = ResizeFilter::none;
};

/// Where a sample's decoded pixels lie in its batch and what is to become of them. All bytes zero:
/// there are none, the result is filled with zero elements.
struct ResizeCrop {
  std::uint64_t offset = 0;  ///< bytes from the task's pixels to the first held pixel
  std::uint32_t stride = 0;  ///< bytes from a row to the next; 0: no pixels
  std::uint8_t flip = 0;     ///< 1 where the result is mirrored
  ResizeAxis across, down;
};
static_assert(std::is_trivially_copyable_v<ResizeCrop>);

/// What a device does with a batch of decoded crops of different sizes: resizes each to the batch's
/// height and width as the CPU does (to the bit: horizontal pass, rounding to 8 bits, vertical
/// pass, 22-bit fixed-point weights), mirrors those that are to be and finishes them. Source of the
/// formulas: Pillow, src/libImaging/Resample.c.
struct ResizeTask : FinishTarget {
  /// Source pixels that a result may read on an axis; a crop that needs more is not for the device.
  static constexpr int max_taps = 40;

  const std::uint8_t* pixels = nullptr;  ///< 3 bytes a pixel, rows anywhere; the device's memory
  const ResizeCrop* crops = nullptr;     ///< [count]; the device's memory
};

}  // namespace stoker
