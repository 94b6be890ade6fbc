#include <stoker/transforms/crop.hpp>

#include "transforms/rectangle.hpp"

#include <fmt/format.h>

namespace stoker {

Crop::Crop(const Rect& rect) : rect_(rect) {
  parameters::require("crop", parameters::valid_rectangle(rect));
}

Status Crop::apply(Canvas& canvas, Random& /*random*/) const {
  return parameters::crop_inside(canvas, rect_, "crop");
}

std::optional<Size> Crop::output_size(std::optional<Size> /*input*/) const { return rect_.size(); }

std::string Crop::text() const {
  return fmt::format("crop({})", parameters::rectangle_text(rect_));
}

Step crop(const Rect& rect) { return std::make_shared<Crop>(rect); }

Step make_crop(Arguments& arguments) {
  const Rect rect = parameters::rectangle(arguments);
  arguments.finish();
  return crop(rect);
}

}  // namespace stoker
