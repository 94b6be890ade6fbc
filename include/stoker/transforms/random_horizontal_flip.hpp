#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/transforms/transform.hpp>

namespace stoker {

/// Mirrors the image with probability `p`, as torchvision's RandomHorizontalFlip does.
class RandomHorizontalFlip final : public Transform {
 public:
  /// @throws Error(invalid_argument) unless p is in 0..1.
  explicit RandomHorizontalFlip(double p);

  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override { return input; }
  bool only_moves_pixels() const override { return true; }
  std::string text() const override;

 private:
  double p_;
};

/// Makes a step of RandomHorizontalFlip, with its errors.
Step random_horizontal_flip(double p = 0.5);

/// random_horizontal_flip(p=0.5). @throws Error(invalid_pipeline)
Step make_random_horizontal_flip(Arguments& arguments);

}  // namespace stoker
