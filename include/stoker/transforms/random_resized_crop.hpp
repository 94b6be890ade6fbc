#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/core/random.hpp>
#include <stoker/transforms/resample.hpp>
#include <stoker/transforms/transform.hpp>

namespace stoker {

/// A closed interval.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Share of the image's area that a crop covers, and its width over its height.
/// Source: torchvision.transforms.RandomResizedCrop (defaults), after Szegedy et al., "Going deeper
/// with convolutions", 2015.
inline constexpr Interval default_crop_scale{0.08, 1.0};
inline constexpr Interval default_crop_ratio{3.0 / 4.0, 4.0 / 3.0};

/// Which rectangles are drawn, as shares of the image's area and as width over height, and how they
/// are resized.
struct RandomResizedCropOptions {
  Interval scale = default_crop_scale;
  Interval ratio = default_crop_ratio;
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = true;
};

/// Crops to a random rectangle and resizes it to a fixed size, as torchvision's RandomResizedCrop
/// does.
class RandomResizedCrop final : public Transform {
 public:
  /// @throws Error(invalid_argument) for an edge outside 1..65535, for a scale or ratio that is not
  /// 0 < low <= high, and for antialias as Resize does.
  RandomResizedCrop(Size size, const RandomResizedCropOptions& options);

  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override;
  std::string text() const override;

 private:
  Size size_;
  RandomResizedCropOptions options_;
};

/// Draws the rectangle: ten tries with an area uniform over `scale`, a ratio log-uniform over
/// `ratio`, rounded to the even number at a half, at a uniform place; then, if none fitted, the
/// largest rectangle in the middle whose ratio is allowed. Always lies inside `image`, whose edges
/// must be positive.
/// Source: torchvision.transforms.RandomResizedCrop.get_params; there it computes the ratio in
/// float32, here all is double.
Rect random_resized_crop_box(Size image, const Interval& scale, const Interval& ratio,
                             Random& random);

/// Makes a step of RandomResizedCrop, with its errors.
Step random_resized_crop(Size size, const RandomResizedCropOptions& options = {});
/// Resizes to a square.
Step random_resized_crop(int edge, const RandomResizedCropOptions& options = {});

/// random_resized_crop(size, scale=[0.08, 1], ratio=[0.75, 1.3333333333333333],
/// interpolation=bilinear, antialias=true). @throws Error(invalid_pipeline)
Step make_random_resized_crop(Arguments& arguments);

}  // namespace stoker
