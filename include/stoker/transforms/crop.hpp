#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/transforms/transform.hpp>

namespace stoker {

/// Keeps the pixels inside a rectangle, which must lie inside the image.
class Crop final : public Transform {
 public:
  /// @throws Error(invalid_argument) for a negative place or a size outside 1..65535.
  explicit Crop(const Rect& rect);

  /// Fails with crop_out_of_bounds where the rectangle reaches outside.
  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override;
  bool only_moves_pixels() const override { return true; }
  std::string text() const override;

 private:
  Rect rect_;
};

/// Makes a step of Crop, with its errors.
Step crop(const Rect& rect);

/// crop(top, left, height, width). @throws Error(invalid_pipeline)
Step make_crop(Arguments& arguments);

}  // namespace stoker
