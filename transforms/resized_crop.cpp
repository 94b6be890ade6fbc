#include <stoker/transforms/resized_crop.hpp>

#include "transforms/rectangle.hpp"

#include <fmt/format.h>

namespace stoker {

ResizedCrop::ResizedCrop(const Rect& rect, Size size, Interpolation interpolation, bool antialias)
    : rect_(rect), size_(size), interpolation_(interpolation), antialias_(antialias) {
  constexpr std::string_view operation = "resized_crop";
  parameters::require(operation, parameters::valid_rectangle(rect));
  parameters::require(operation, parameters::valid_size("size", size));
  parameters::require(operation, parameters::valid_antialias(interpolation, antialias));
}

Status ResizedCrop::apply(Canvas& canvas, Random& /*random*/) const {
  STOKER_RETURN_IF_FAILED(parameters::crop_inside(canvas, rect_, "resized_crop"));
  return canvas.resize(size_, interpolation_);
}

std::optional<Size> ResizedCrop::output_size(std::optional<Size> /*input*/) const { return size_; }

std::string ResizedCrop::text() const {
  return fmt::format("resized_crop({}, size={}, {})", parameters::rectangle_text(rect_),
                     size_text(size_), parameters::resampling_text(interpolation_, antialias_));
}

Step resized_crop(const Rect& rect, Size size, Interpolation interpolation, bool antialias) {
  return std::make_shared<ResizedCrop>(rect, size, interpolation, antialias);
}

Step make_resized_crop(Arguments& arguments) {
  const Rect rect = parameters::rectangle(arguments);
  const Size size = square_or_size(arguments, "size");
  const Interpolation interpolation = parameters::interpolation(arguments);
  const bool antialias = arguments.boolean("antialias", true);
  parameters::require(arguments, parameters::valid_antialias(interpolation, antialias));
  arguments.finish();
  return resized_crop(rect, size, interpolation, antialias);
}

}  // namespace stoker
