#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/transforms/resample.hpp>
#include <stoker/transforms/transform.hpp>

namespace stoker {

/// Crops to a rectangle and resizes what is left, to the bit as torchvision's functional
/// `resized_crop` does with a Pillow image. Unlike there, the rectangle must lie inside the image.
class ResizedCrop final : public Transform {
 public:
  /// @throws Error(invalid_argument) as Crop and Resize do.
  ResizedCrop(const Rect& rect, Size size, Interpolation interpolation, bool antialias);

  /// Fails with crop_out_of_bounds where the rectangle reaches outside.
  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override;
  std::string text() const override;

 private:
  Rect rect_;
  Size size_;
  Interpolation interpolation_;
  bool antialias_;
};

/// Makes a step of ResizedCrop, with its errors.
Step resized_crop(const Rect& rect, Size size,
                  Interpolation interpolation = Interpolation::bilinear, bool antialias = true);

/// resized_crop(top, left, height, width, size, interpolation=bilinear, antialias=true); a size of
/// one number is a square. @throws Error(invalid_pipeline)
Step make_resized_crop(Arguments& arguments);

}  // namespace stoker
