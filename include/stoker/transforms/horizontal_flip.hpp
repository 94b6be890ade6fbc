#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/transforms/transform.hpp>

namespace stoker {

/// Mirrors the image: its left column becomes its right one.
class HorizontalFlip final : public Transform {
 public:
  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override { return input; }
  bool only_moves_pixels() const override { return true; }
  std::string text() const override { return "horizontal_flip"; }
};

/// Makes a step of HorizontalFlip.
Step horizontal_flip();

/// horizontal_flip, without parameters. @throws Error(invalid_pipeline)
Step make_horizontal_flip(Arguments& arguments);

}  // namespace stoker
