#include "src/engine/finish_stage.hpp"

namespace stoker {
namespace {

enum Input : std::size_t { pixels, flip, label };
enum Output : std::size_t { finished, label_copy };

}  // namespace

FinishStage::FinishStage(const Finish& finish, Size size)
    : size_(size),
      finish_(finish),
      tables_(finish.tables()),
      outputs_{{"image", finish.dtype(), finish.shape(size)}, {"label", DType::int64, {}}} {}

std::vector<FieldSpec> FinishStage::inputs(Size size) {
  return {{"image", DType::uint8, {size.height, size.width, 3}},
          {"image.flip", DType::uint8, {}},
          {"label", DType::int64, {}}};
}

std::optional<std::size_t> FinishStage::source_of(std::size_t output) const {
  return output == label_copy ? std::optional<std::size_t>(label) : std::nullopt;
}

void FinishStage::enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
                          std::span<std::byte* const> outputs, const std::byte* constants,
                          std::size_t count) const {
  FinishTask task;
  task.pixels = reinterpret_cast<const std::uint8_t*>(inputs[pixels]);
  task.flips = reinterpret_cast<const std::uint8_t*>(inputs[flip]);
  task.tables = constants;
  task.out = outputs[finished];
  task.count = static_cast<std::uint32_t>(count);
  task.height = static_cast<std::uint32_t>(size_.height);
  task.width = static_cast<std::uint32_t>(size_.width);
  task.element_bytes = static_cast<std::uint32_t>(size_of(finish_.dtype()));
  task.planar = finish_.layout() == Layout::NCHW;
  device.finish(task, stream);
}

}  // namespace stoker
