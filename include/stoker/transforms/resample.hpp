#pragma once

#include <stoker/core/image.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

namespace stoker {

/// Resampling filters, named as torchvision names them. bilinear and bicubic are antialiased: their
/// support grows with the scale, as Pillow's does.
enum class Interpolation : std::uint8_t { nearest, bilinear, bicubic };

/// Returns the filter's name: "nearest", "bilinear" or "bicubic".
std::string_view name(Interpolation interpolation) noexcept;
std::optional<Interpolation> parse_interpolation(std::string_view name) noexcept;

/// A rectangle of a source image in fractions of pixels.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// Refers to a callable `void(int y, const std::uint8_t* row)` without owning it, so that passing
/// one never allocates. The callable must outlive the call that the sink is passed to.
class RowSink {
 public:
  template <class Callable>
  requires(!std::same_as<std::remove_cvref_t<Callable>, RowSink> &&
           std::invocable<Callable&, int, const std::uint8_t*>) RowSink(Callable&& callable)
  noexcept  // implicit, so that a lambda can stand in its place
      : call_([](const void* object, int y, const std::uint8_t* row) {
          using Object = std::remove_reference_t<Callable>;
          (*static_cast<Object*>(const_cast<void*>(object)))(y, row);
        }),
        object_(std::addressof(callable)) {}

  void operator()(int y, const std::uint8_t* row) const { call_(object_, y, row); }

 private:
  void (*call_)(const void* object, int y, const std::uint8_t* row);
  const void* object_;
};

/// Resizes 8-bit RGB images to the bit as Pillow 12 does (horizontal pass, rounding to 8 bits,
/// vertical pass, 22-bit fixed-point weights), with SIMD chosen when it is constructed. Keeps its
/// weight tables and its intermediate rows, so a long-lived one allocates only for a larger image,
/// and computes no weights again for an axis that stays as it was. One thread at a time; a
/// moved-from one can only be assigned to or destroyed. Source: Pillow, src/libImaging/Resample.c,
/// Geometry.c and Image.resize (formulas and rounding).
class Resampler {
 public:
  /// What one call computes: `box` of the source becomes an image of `size`, of which only `window`
  /// is computed (so that a crop behind a resize costs only its own pixels). As in Pillow the box
  /// has single precision; it must lie inside the source and not be empty.
  struct Request {
    Box box;
    Size size;
    Rect window;
    Interpolation interpolation = Interpolation::bilinear;
  };

  Resampler();
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  /// Returns the pixels of a source of `source` size that `request` reads; at least one pixel.
  /// @throws Error(invalid_argument) for an empty window or box, or one that reaches outside.
  static Rect footprint(Size source, const Request& request);

  /// Takes finished rows of the window in order from the top: `y` counts from the window's top,
  /// `row` holds window.width pixels and may be read up to Image::padding bytes further; it is
  /// valid only during the call.
  using RowSink = stoker::RowSink;

  /// Resizes and hands over each row. `pixels` holds at least the request's footprint: its pixel
  /// (0, 0) is the pixel (`origin_top`, `origin_left`) of a source of `source` size.
  /// @throws Error(invalid_argument) as footprint(), or where `pixels` doesn't hold the footprint;
  /// std::bad_alloc; what the sink throws.
  void run(const ImageView& pixels, int origin_top, int origin_left, Size source,
           const Request& request, RowSink sink);

  /// Resizes a whole image into `out`, which becomes the window. `out` doesn't own `pixels`.
  void run(const ImageView& pixels, const Request& request, Image& out);

  /// Bytes of memory held, for accounting.
  std::size_t capacity() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker
