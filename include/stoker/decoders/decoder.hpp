#pragma once

#include <stoker/core/error.hpp>
#include <stoker/core/image.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace stoker {

/// Pillow's limit, above which it refuses an image as a decompression bomb.
/// Source: Pillow, PIL.Image.MAX_IMAGE_PIXELS = 89478485; twice that is an error.
inline constexpr std::uint64_t default_max_pixels = 178956970;

/// How images are decoded.
struct DecodeOptions {
  /// Decode to the end of every file, so that a file broken behind the crop is an error.
  bool strict = false;
  /// Turn the image upright as its EXIF orientation says. JPEG only; a broken block counts as none.
  bool orient = true;
  /// Allow decoding at a DCT scale of 1/2, 1/4 or 1/8 where a crop is at least that much larger
  /// than its target.
  bool scaled = false;
  /// Images that declare more pixels are refused with image_too_large.
  std::uint64_t max_pixels = default_max_pixels;
  friend bool operator==(const DecodeOptions&, const DecodeOptions&) = default;
};

/// What `Decoder::decode` produced: pixels of the image at 1/denominator of its size.
struct DecodedWindow {
  Rect covers;  ///< what `out` holds, in pixels of the scaled image
  Size scaled;  ///< size of the whole image at this scale: each side over denominator, rounded up
};

/// Decodes images to 8-bit RGB, whatever their format, which their first bytes decide and not their
/// name: JPEG through libjpeg-turbo (grayscale, CMYK, YCCK, progressive and arithmetic files
/// included), the rest through OpenCV where the build has it (alpha dropped, upper byte of 16
/// bits). Pixels equal Pillow's `Image.open(f).convert("RGB")` for JPEG. Like there, an image with
/// damaged parts decodes as well as it can, while one that ends early is an error as soon as that
/// is noticed.
///
/// Holds the state and memory of one worker and is used again for each image, whose pixels do not
/// depend on the images before; not thread-safe. A moved-from decoder may only be assigned to or
/// destroyed.
class Decoder {
 public:
  /// @throws Error(unsupported) where libjpeg is another version than this was built with.
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  /// Reads an image's header; formats other than JPEG are decoded here. `bytes` must stay valid
  /// until decoding is over. Returns the image's size, upright where `options.orient` asks for it.
  /// Fails with empty_file, unknown_format, truncated, corrupt, unsupported, image_too_large or
  /// out_of_memory.
  Result<Size> open(std::span<const std::byte> bytes, const DecodeOptions& options);

  /// Largest denominator (1, 2, 4 or 8) of the DCT scales that the open image offers and that keep
  /// `crop` at least `target` large; 1 unless the options say `scaled`, and for formats but JPEG.
  int denominator_for(const Rect& crop, Size target) const;

  /// Decodes at least the pixels of `window`, which lies inside the image that `open` described, at
  /// 1/denominator of its size, into `out`. At a scale, `window` means every pixel that it touches.
  ///
  /// Pixels inside the window are the same to the bit whatever the window; `out` may hold more
  /// around it (`covers`), whose values are not certain. Only the rows and columns that the window
  /// needs are decoded, and the file is read no further, unless `strict` asks for it or the window
  /// is the whole image.
  ///
  /// Scaled pixels are near the averages of the full image's: over an image they differ by at most
  /// 3 of 255 on average with 4:4:4 and 4:2:0 colour and by 6 with rarer subsampling, at single
  /// pixels on edges of colour by more. Pixels are counted from the stored image's top left, so
  /// where `orient` mirrors a side that is no multiple of the denominator, they lie a fraction of a
  /// scaled pixel aside.
  ///
  /// Can be called once per `open`. Fails with truncated, corrupt or out_of_memory; with
  /// invalid_state, crop_out_of_bounds or invalid_argument where the call itself is wrong.
  Result<DecodedWindow> decode(const Rect& window, int denominator, Image& out);

  /// Pixels that `decode` has produced since this decoder exists, for counters.
  std::uint64_t pixels_decoded() const noexcept;
  /// Bytes of memory held besides libjpeg's own pools, for accounting.
  std::size_t capacity() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stoker
