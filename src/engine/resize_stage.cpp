#include "src/engine/resize_stage.hpp"

namespace stoker {

std::vector<FieldSpec> ResizeStage::inputs(Size size, std::size_t budget) {
  return {{"image.pixels", DType::uint8, {size.height, size.width, 3}, budget},
          {"image.crop", DType::uint8, {static_cast<std::int64_t>(sizeof(ResizeCrop))}},
          {"label", DType::int64, {}}};
}

void ResizeStage::enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
                          std::span<std::byte* const> outputs, const std::byte* constants,
                          std::size_t count) const {
  ResizeTask task{target(outputs, constants, count)};
  task.pixels = reinterpret_cast<const std::uint8_t*>(inputs[pixels]);
  task.crops = reinterpret_cast<const ResizeCrop*>(inputs[crop]);
  device.resize(task, stream);
}

}  // namespace stoker
