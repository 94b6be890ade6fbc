#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/core/dtype.hpp>
#include <stoker/core/operation.hpp>

#include <optional>

namespace stoker {

/// Converts pixels to another element type and the sample to another layout. Finish executes it.
class To final : public Operation {
 public:
  /// Without a layout the one so far stays. `scale` maps 0..255 to [0, 1] on the way from uint8 to
  /// a float type, as torchvision's v2 `to_dtype` does. @throws Error(invalid_argument) unless
  /// dtype is uint8, float16, bfloat16 or float32.
  explicit To(DType dtype, std::optional<Layout> layout = {}, bool scale = true);

  DType dtype() const noexcept { return dtype_; }
  std::optional<Layout> layout() const noexcept { return layout_; }
  bool scale() const noexcept { return scale_; }
  std::string text() const override;

 private:
  DType dtype_;
  std::optional<Layout> layout_;
  bool scale_;
};

/// Makes a step of To, with its errors.
Step to(DType dtype, std::optional<Layout> layout = {}, bool scale = true);

/// to(dtype, layout, scale=true), where layout may be left out. @throws Error(invalid_pipeline)
Step make_to(Arguments& arguments);

}  // namespace stoker
