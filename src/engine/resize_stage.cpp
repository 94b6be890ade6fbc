#include "src/engine/resize_stage.hpp"

#include "src/engine/finish_stage.hpp"

namespace stoker {

ResizeStage::ResizeStage(const Finish& finish, Size size)
    : size_(size),
      finish_(finish),
      tables_(finish.tables()),
      outputs_(FinishStage::image_and_label(finish, size)) {}

std::vector<FieldSpec> ResizeStage::inputs(Size size, std::size_t budget) {
  return {{"image.pixels", DType::uint8, {size.height, size.width, 3}, budget},
          {"image.crop", DType::uint8, {static_cast<std::int64_t>(sizeof(ResizeCrop))}},
          {"label", DType::int64, {}}};
}

std::optional<std::size_t> ResizeStage::source_of(std::size_t output) const {
  return output == FinishStage::label_copy ? std::optional<std::size_t>(label) : std::nullopt;
}

void ResizeStage::enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
                          std::span<std::byte* const> outputs, const std::byte* constants,
                          std::size_t count) const {
  ResizeTask task;
  static_cast<FinishTarget&>(task) = finish_target(finish_, size_, constants, count);
  task.out = outputs[FinishStage::finished];
  task.pixels = reinterpret_cast<const std::uint8_t*>(inputs[pixels]);
  task.crops = reinterpret_cast<const ResizeCrop*>(inputs[crop]);
  device.resize(task, stream);
}

}  // namespace stoker
