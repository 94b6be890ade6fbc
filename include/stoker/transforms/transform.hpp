#pragma once

#include <stoker/core/error.hpp>
#include <stoker/core/image.hpp>
#include <stoker/core/operation.hpp>
#include <stoker/core/random.hpp>
#include <stoker/transforms/canvas.hpp>

#include <memory>
#include <optional>

namespace stoker {

/// A step that changes an image. Immutable and called by many workers at the same time.
class Transform : public Operation {
 public:
  /// Changes the canvas. Everything random comes from `random`, which belongs to this step of this
  /// sample: the same numbers whatever the worker.
  virtual Status apply(Canvas& canvas, Random& random) const = 0;

  /// Returns the size that images have behind this step, given the size before it (nothing: not
  /// known ahead), or nothing where it depends on the image.
  virtual std::optional<Size> output_size(std::optional<Size> input) const = 0;

  /// True where the step moves or drops pixels without reading their values, so that it may also
  /// stand behind `normalize` and `to`.
  virtual bool only_moves_pixels() const { return false; }
};

}  // namespace stoker
