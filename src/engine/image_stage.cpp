#include "src/engine/image_stage.hpp"

namespace stoker {
namespace {

enum Output : std::size_t { finished, label_copy };

}  // namespace

ImageStage::ImageStage(const Finish& finish, Size size, std::size_t label)
    : size_(size),
      finish_(finish),
      label_(label),
      tables_(finish.tables()),
      outputs_{{"image", finish.dtype(), finish.shape(size), 0, finish.layout()},
               {"label", DType::int64, {}}} {}

std::optional<std::size_t> ImageStage::source_of(std::size_t output) const {
  return output == label_copy ? std::optional<std::size_t>(label_) : std::nullopt;
}

FinishTarget ImageStage::target(std::span<std::byte* const> outputs, const std::byte* constants,
                                std::size_t count) const {
  FinishTarget target;
  target.tables = constants;
  target.out = outputs[finished];
  target.count = static_cast<std::uint32_t>(count);
  target.height = static_cast<std::uint32_t>(size_.height);
  target.width = static_cast<std::uint32_t>(size_.width);
  target.element_bytes = static_cast<std::uint32_t>(size_of(finish_.dtype()));
  target.planar = finish_.layout() == Layout::NCHW;
  return target;
}

}  // namespace stoker
