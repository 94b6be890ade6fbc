#pragma once

#include <stoker/core/error.hpp>
#include <stoker/core/image.hpp>
#include <stoker/transforms/resample.hpp>

namespace stoker {

/// An image on its way through a pipeline, as transforms see it. Geometry may be deferred: `crop`
/// before the image is decoded narrows what is decoded, a flip is done by the pass that writes the
/// batch. Deferring never changes a pixel. Belongs to one worker at a time, not thread-safe.
class Canvas {
 public:
  virtual ~Canvas() = default;

  /// The image's size with all that was asked for so far.
  virtual Size size() const = 0;
  /// Keeps the pixels inside `rect`. Fails with crop_out_of_bounds unless it lies inside.
  virtual Status crop(const Rect& rect) = 0;
  /// Keeps the pixels inside `rect`, which may reach outside: there the pixels become `fill`.
  virtual Status crop_padded(const Rect& rect, std::uint8_t fill) = 0;
  virtual Status resize(Size size, Interpolation interpolation) = 0;
  virtual Status flip_horizontally() = 0;
  /// Does all that was deferred and gives the pixels, to be changed or replaced in place. The
  /// pointer is valid until the next call on this canvas. Fails as decoding does.
  virtual Result<Image*> pixels() = 0;
};

}  // namespace stoker
