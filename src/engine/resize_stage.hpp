#pragma once

#include "src/engine/image_stage.hpp"

#include <cstddef>
#include <vector>

namespace stoker {

/// Does an image pipeline's resize and finish on the device, of host fields "image.pixels" (decoded
/// crops of any size, ragged), "image.crop" (a ResizeCrop each) and "label".
class ResizeStage final : public ImageStage {
 public:
  enum Input : std::size_t { pixels, crop, label };

  ResizeStage(const Finish& finish, Size size) : ImageStage(finish, size, label) {}

  /// The fields that the host provides; `budget` is what a batch holds of pixels, in bytes a
  /// sample.
  static std::vector<FieldSpec> inputs(Size size, std::size_t budget);

  void enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
               std::span<std::byte* const> outputs, const std::byte* constants,
               std::size_t count) const override;
};

}  // namespace stoker
