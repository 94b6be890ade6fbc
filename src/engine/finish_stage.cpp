#include "src/engine/finish_stage.hpp"

namespace stoker {
namespace {

enum Input : std::size_t { pixels, state, label };

}  // namespace

FinishTarget finish_target(const Finish& finish, Size size, const std::byte* tables,
                           std::size_t count) {
  FinishTarget target;
  target.tables = tables;
  target.count = static_cast<std::uint32_t>(count);
  target.height = static_cast<std::uint32_t>(size.height);
  target.width = static_cast<std::uint32_t>(size.width);
  target.element_bytes = static_cast<std::uint32_t>(size_of(finish.dtype()));
  target.planar = finish.layout() == Layout::NCHW;
  return target;
}

FinishStage::FinishStage(const Finish& finish, Size size)
    : size_(size),
      finish_(finish),
      tables_(finish.tables()),
      outputs_(image_and_label(finish, size)) {}

std::vector<FieldSpec> FinishStage::image_and_label(const Finish& finish, Size size) {
  return {{"image", finish.dtype(), finish.shape(size)}, {"label", DType::int64, {}}};
}

std::vector<FieldSpec> FinishStage::inputs(Size size) {
  return {{"image", DType::uint8, {size.height, size.width, 3}},
          {"image.state", DType::uint8, {}},
          {"label", DType::int64, {}}};
}

std::optional<std::size_t> FinishStage::source_of(std::size_t output) const {
  return output == label_copy ? std::optional<std::size_t>(label) : std::nullopt;
}

void FinishStage::enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
                          std::span<std::byte* const> outputs, const std::byte* constants,
                          std::size_t count) const {
  FinishTask task{finish_target(finish_, size_, constants, count)};
  task.out = outputs[finished];
  task.pixels = reinterpret_cast<const std::uint8_t*>(inputs[pixels]);
  task.states = reinterpret_cast<const ImageState*>(inputs[state]);
  device.finish(task, stream);
}

}  // namespace stoker
