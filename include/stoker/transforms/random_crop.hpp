#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/transforms/transform.hpp>

#include <cstdint>

namespace stoker {

/// Pixels to put around an image.
struct Padding {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  friend bool operator==(const Padding&, const Padding&) = default;
};

/// What random_crop does with images smaller than the crop.
struct RandomCropOptions {
  Padding padding = {};
  /// Pad an image that is still too small by what is missing, on both sides.
  bool pad_if_needed = false;
  /// Value of the padding's pixels.
  std::uint8_t fill = 0;
};

/// Keeps a rectangle at a place that is uniform over all that fit, as torchvision's RandomCrop with
/// constant padding does. Counts as a step that only moves pixels where it never pads.
class RandomCrop final : public Transform {
 public:
  /// @throws Error(invalid_argument) for an edge outside 1..65535 or a padding outside 0..65535.
  RandomCrop(Size size, const RandomCropOptions& options);

  /// Fails with crop_out_of_bounds where the padded image is smaller than the crop.
  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override;
  bool only_moves_pixels() const override;
  std::string text() const override;

 private:
  Size size_;
  RandomCropOptions options_;
};

/// Makes a step of RandomCrop, with its errors.
Step random_crop(Size size, const RandomCropOptions& options = {});
/// Crops to a square.
Step random_crop(int edge, const RandomCropOptions& options = {});

/// random_crop(size, padding=0, pad_if_needed=false, fill=0); padding is one number, [left and
/// right, top and bottom] or [left, top, right, bottom]. @throws Error(invalid_pipeline)
Step make_random_crop(Arguments& arguments);

}  // namespace stoker
