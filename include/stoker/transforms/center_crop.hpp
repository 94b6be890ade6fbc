#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/transforms/transform.hpp>

namespace stoker {

/// Keeps the middle of the image, as torchvision's functional `center_crop` does: where the image
/// is smaller than the size it is padded with zeros, the odd pixel to the right and below. Because
/// it may pad, it does not count as a step that only moves pixels.
class CenterCrop final : public Transform {
 public:
  /// @throws Error(invalid_argument) for an edge outside 1..65535.
  explicit CenterCrop(Size size);

  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override;
  std::string text() const override;

 private:
  Size size_;
};

/// Returns the rectangle that `center_crop` keeps; it reaches outside a smaller image.
Rect center_crop_box(Size image, Size size);

/// Makes a step of CenterCrop, with its errors.
Step center_crop(Size size);
/// Crops to a square.
Step center_crop(int edge);

/// center_crop(size). @throws Error(invalid_pipeline)
Step make_center_crop(Arguments& arguments);

}  // namespace stoker
