#include "src/engine/finish_stage.hpp"

namespace stoker {

std::vector<FieldSpec> FinishStage::inputs(Size size) {
  return {{"image", DType::uint8, {size.height, size.width, 3}},
          {"image.state", DType::uint8, {}},
          {"label", DType::int64, {}}};
}

void FinishStage::enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
                          std::span<std::byte* const> outputs, const std::byte* constants,
                          std::size_t count) const {
  FinishTask task{target(outputs, constants, count)};
  task.pixels = reinterpret_cast<const std::uint8_t*>(inputs[pixels]);
  task.states = reinterpret_cast<const ImageState*>(inputs[state]);
  device.finish(task, stream);
}

}  // namespace stoker
