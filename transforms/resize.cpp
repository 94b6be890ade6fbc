#include <stoker/transforms/resize.hpp>

#include "transforms/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stoker {
namespace {

constexpr std::string_view operation = "resize";

}  // namespace

// Whole-number division gives Python's int(a / b): both numbers are far below 2^53, where rounding
// a quotient to double never reaches the next whole number.
Size short_edge_size(Size image, int short_edge) {
  const auto [low, high] = std::minmax(image.height, image.width);
  const std::int64_t exact = std::int64_t{short_edge} * high / std::max(low, 1);
  const auto long_edge =
      static_cast<int>(std::min<std::int64_t>(exact, std::numeric_limits<int>::max()));
  return image.width <= image.height ? Size{long_edge, short_edge} : Size{short_edge, long_edge};
}

Resize::Resize(int short_edge, Interpolation interpolation, bool antialias)
    : short_edge_(short_edge), interpolation_(interpolation), antialias_(antialias) {
  parameters::require(operation, parameters::within("size", short_edge, 1, parameters::max_edge));
  parameters::require(operation, parameters::valid_antialias(interpolation, antialias));
}

Resize::Resize(Size size, Interpolation interpolation, bool antialias)
    : size_(size), interpolation_(interpolation), antialias_(antialias) {
  parameters::require(operation, parameters::valid_size("size", size));
  parameters::require(operation, parameters::valid_antialias(interpolation, antialias));
}

Size Resize::target(Size input) const {
  return short_edge_ > 0 ? short_edge_size(input, short_edge_) : size_;
}

Status Resize::apply(Canvas& canvas, Random& /*random*/) const {
  const Size size = target(canvas.size());
  if (parameters::valid_size("size", size)) {
    return fail(
        ErrorCode::image_too_large,
        fmt::format("resize: an image of {} would become {}, and no edge may be longer than {}",
                    parameters::edges_text(canvas.size()), parameters::edges_text(size),
                    parameters::max_edge));
  }
  return canvas.resize(size, interpolation_);
}

std::optional<Size> Resize::output_size(std::optional<Size> input) const {
  if (short_edge_ == 0) return size_;
  return input ? std::optional(target(*input)) : std::nullopt;
}

std::string Resize::text() const {
  return fmt::format("resize(size={}, {})",
                     short_edge_ > 0 ? std::to_string(short_edge_) : size_text(size_),
                     parameters::resampling_text(interpolation_, antialias_));
}

Step resize(int short_edge, Interpolation interpolation, bool antialias) {
  return std::make_shared<Resize>(short_edge, interpolation, antialias);
}

Step resize(Size size, Interpolation interpolation, bool antialias) {
  return std::make_shared<Resize>(size, interpolation, antialias);
}

Step make_resize(Arguments& arguments) {
  const auto edges = arguments.integers("size");
  if (edges.empty() || edges.size() > 2) {
    arguments.reject("size", "must be the short edge or [height, width]");
  }
  for (const std::int64_t edge : edges) {
    parameters::require(
        arguments, parameters::within("size", static_cast<double>(edge), 1, parameters::max_edge));
  }
  const Interpolation interpolation = parameters::interpolation(arguments);
  const bool antialias = arguments.boolean("antialias", true);
  parameters::require(arguments, parameters::valid_antialias(interpolation, antialias));
  arguments.finish();
  const auto first = static_cast<int>(edges.front());
  if (edges.size() == 1) return resize(first, interpolation, antialias);
  return resize(Size{first, static_cast<int>(edges.back())}, interpolation, antialias);
}

}  // namespace stoker
