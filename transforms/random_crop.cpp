#include <stoker/transforms/random_crop.hpp>

#include "transforms/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stoker {
namespace {

using parameters::Check;

Check valid_padding(const Padding& padding) {
  for (const int edge : {padding.left, padding.top, padding.right, padding.bottom}) {
    if (auto flaw = parameters::within("padding", edge, 0, parameters::max_edge)) return flaw;
  }
  return {};
}

Padding padding_parameter(Arguments& arguments) {
  const auto given = arguments.integers("padding", std::vector<std::int64_t>{0});
  if (given.size() != 1 && given.size() != 2 && given.size() != 4) {
    arguments.reject("padding",
                     "must be a number, [left and right, top and bottom] or "
                     "[left, top, right, bottom]");
  }
  for (const std::int64_t edge : given) {
    parameters::require(arguments, parameters::within("padding", static_cast<double>(edge), 0,
                                                      parameters::max_edge));
  }
  const auto side = [&](std::size_t i) { return static_cast<int>(given[i % given.size()]); };
  return {side(0), side(1), side(2), side(3)};
}

Padding widened(Padding padding, Size image, Size size) {
  const int missing_width = size.width - (image.width + padding.left + padding.right);
  const int missing_height = size.height - (image.height + padding.top + padding.bottom);
  padding.left += std::max(missing_width, 0);
  padding.right += std::max(missing_width, 0);
  padding.top += std::max(missing_height, 0);
  padding.bottom += std::max(missing_height, 0);
  return padding;
}

// Draws only where there is a choice, top before left.
int draw_offset(Random& random, int space) {
  return space > 0 ? static_cast<int>(random.below(static_cast<std::uint64_t>(space) + 1)) : 0;
}

}  // namespace

RandomCrop::RandomCrop(Size size, const RandomCropOptions& options)
    : size_(size), options_(options) {
  parameters::require("random_crop", parameters::valid_size("size", size));
  parameters::require("random_crop", valid_padding(options.padding));
}

Status RandomCrop::apply(Canvas& canvas, Random& random) const {
  const Size image = canvas.size();
  const Padding pad =
      options_.pad_if_needed ? widened(options_.padding, image, size_) : options_.padding;
  const Size padded{image.height + pad.top + pad.bottom, image.width + pad.left + pad.right};
  if (size_.height > padded.height || size_.width > padded.width) {
    return fail(ErrorCode::crop_out_of_bounds,
                fmt::format("random_crop: a crop of {} does not fit into an image of {} (height x "
                            "width, with padding); pad_if_needed=true makes room",
                            parameters::edges_text(size_), parameters::edges_text(padded)));
  }
  const int top = draw_offset(random, padded.height - size_.height) - pad.top;
  const int left = draw_offset(random, padded.width - size_.width) - pad.left;
  const Rect box{top, left, size_.height, size_.width};
  return box.inside(image) ? canvas.crop(box) : canvas.crop_padded(box, options_.fill);
}

std::optional<Size> RandomCrop::output_size(std::optional<Size> /*input*/) const { return size_; }

bool RandomCrop::only_moves_pixels() const {
  return options_.padding == Padding{} && !options_.pad_if_needed;
}

std::string RandomCrop::text() const {
  const Padding& pad = options_.padding;
  return fmt::format("random_crop(size={}, padding=[{}, {}, {}, {}], pad_if_needed={}, fill={})",
                     size_text(size_), pad.left, pad.top, pad.right, pad.bottom,
                     options_.pad_if_needed, options_.fill);
}

Step random_crop(Size size, const RandomCropOptions& options) {
  return std::make_shared<RandomCrop>(size, options);
}

Step random_crop(int edge, const RandomCropOptions& options) {
  return random_crop(Size{edge, edge}, options);
}

Step make_random_crop(Arguments& arguments) {
  const Size size = square_or_size(arguments, "size");
  RandomCropOptions options;
  options.padding = padding_parameter(arguments);
  options.pad_if_needed = arguments.boolean("pad_if_needed", false);
  const int fill = parameters::integer(arguments, "fill", 0);
  parameters::require(arguments, parameters::within("fill", fill, 0, 255));
  options.fill = static_cast<std::uint8_t>(fill);
  arguments.finish();
  return random_crop(size, options);
}

}  // namespace stoker
