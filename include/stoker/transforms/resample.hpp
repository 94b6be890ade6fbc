#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <stoker/core/image.hpp>

namespace stoker {

/// Resampling filters, named as torchvision names them. bilinear and bicubic are antialiased: their
/// support grows with the scale, as Pillow's does.
enum class Interpolation : std::uint8_t { nearest, bilinear, bicubic };

std::string_view name(Interpolation interpolation) noexcept;
std::optional<Interpolation> parse_interpolation(std::string_view name) noexcept;

/// A rectangle of a source image in fractions of pixels.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// Resizes 8-bit RGB images to the bit as Pillow does (horizontal pass, rounding to 8 bits, vertical
/// pass, 22-bit fixed-point weights), with SIMD chosen at run time. Keeps its weight tables and its
/// intermediate rows, so a long-lived one allocates only for a larger image. One thread at a time.
/// Source: Pillow, src/libImaging/Resample.c and Geometry.c (formulas and rounding).
class Resampler {
 public:
  /// What one call computes: `box` of the source becomes an image of `size`, of which only `window`
  /// is computed (so that a crop behind a resize costs only its own pixels).
  struct Request {
    Box box;
    Size size;
    Rect window;
    Interpolation interpolation = Interpolation::bilinear;
  };

  /// Returns the pixels of a source of `source` size that `request` reads; at least one pixel.
  static Rect footprint(Size source, const Request& request);

  /// Takes finished rows of the window in order from the top: `row` holds window.width pixels and
  /// may be read up to Image::padding bytes further; it is valid only during the call.
  using RowSink = std::function<void(int y, const std::uint8_t* row)>;

  /// Resizes and hands over each row. `pixels` holds at least the request's footprint: its pixel
  /// (0, 0) is the pixel (`origin_top`, `origin_left`) of a source of `source` size.
  void run(const ImageView& pixels, int origin_top, int origin_left, Size source,
           const Request& request, const RowSink& sink);

  /// Resizes a whole image into `out`.
  void run(const ImageView& pixels, const Request& request, Image& out);

  /// Bytes of memory held, for accounting.
  std::size_t capacity() const noexcept;
};

}  // namespace stoker
