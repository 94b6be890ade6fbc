#pragma once

#include "src/engine/image_stage.hpp"

#include <cstddef>
#include <vector>

namespace stoker {

/// Does an image pipeline's finish on the device, of host fields "image" (8-bit [H, W, 3]),
/// "image.state" (an ImageState each) and "label".
class FinishStage final : public ImageStage {
 public:
  enum Input : std::size_t { pixels, state, label };

  FinishStage(const Finish& finish, Size size) : ImageStage(finish, size, label) {}

  /// The fields that the host provides.
  static std::vector<FieldSpec> inputs(Size size);

  void enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
               std::span<std::byte* const> outputs, const std::byte* constants,
               std::size_t count) const override;
};

}  // namespace stoker
