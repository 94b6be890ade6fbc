#pragma once

#include <stoker/pipeline/pipeline.hpp>
#include <stoker/transforms/transform.hpp>

#include <string>

namespace stoker {

/// A step that calls the user's function on the finished pixels.
class UserTransform final : public Transform {
 public:
  UserTransform(std::string name, UserFunction function);
  std::string text() const override { return name_; }
  bool may_block() const override { return true; }
  Status apply(Canvas& canvas, Random& random) const override;
  /// A function may change the size; the batch's layout takes it as kept and each sample is
  /// checked.
  std::optional<Size> output_size(std::optional<Size> input) const override { return input; }

 private:
  std::string name_;
  UserFunction function_;
};

}  // namespace stoker
