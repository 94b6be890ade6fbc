#include <stoker/transforms/random_resized_crop.hpp>

#include "transforms/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stoker {
namespace {

constexpr int tries = 10;

// nearbyint rounds a half to the even number in the default rounding mode, as Python does.
int rounded(double value, int most) {
  return static_cast<int>(std::min(std::nearbyint(value), static_cast<double>(most)));
}

Size middle_size(Size image, const Interval& ratio) {
  const double own = static_cast<double>(image.width) / image.height;
  if (own < ratio.low) {
    return {std::max(1, rounded(image.width / ratio.low, image.height)), image.width};
  }
  if (own > ratio.high) {
    return {image.height, std::max(1, rounded(image.height * ratio.high, image.width))};
  }
  return image;
}

int draw_offset(Random& random, int space) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(space) + 1));
}

parameters::Check valid_interval(std::string_view name, const Interval& interval) {
  if (interval.low > 0 && interval.low <= interval.high && std::isfinite(interval.high)) return {};
  return parameters::Flaw{name, fmt::format("must be [low, high] with 0 < low <= high, not {}",
                                            list_text({interval.low, interval.high}))};
}

parameters::Check valid_options(const RandomResizedCropOptions& options) {
  auto check = valid_interval("scale", options.scale);
  if (!check) check = valid_interval("ratio", options.ratio);
  if (!check) check = parameters::valid_antialias(options.interpolation, options.antialias);
  return check;
}

Interval interval_parameter(Arguments& arguments, std::string_view name,
                            const Interval& otherwise) {
  const auto given = arguments.numbers(name, std::vector<double>{otherwise.low, otherwise.high});
  if (given.size() != 2) arguments.reject(name, "must be [low, high]");
  return {given[0], given[1]};
}

}  // namespace

Rect random_resized_crop_box(Size image, const Interval& scale, const Interval& ratio,
                             Random& random) {
  const double area = static_cast<double>(image.height) * image.width;
  const double log_low = std::log(ratio.low);
  const double log_high = std::log(ratio.high);
  for (int i = 0; i < tries; ++i) {
    const double target = area * random.uniform(scale.low, scale.high);
    const double aspect = std::exp(random.uniform(log_low, log_high));
    const int width = rounded(std::sqrt(target * aspect), image.width + 1);
    const int height = rounded(std::sqrt(target / aspect), image.height + 1);
    if (width < 1 || width > image.width || height < 1 || height > image.height) continue;
    const int top = draw_offset(random, image.height - height);
    const int left = draw_offset(random, image.width - width);
    return {top, left, height, width};
  }
  const Size size = middle_size(image, ratio);
  return {(image.height - size.height) / 2, (image.width - size.width) / 2, size.height,
          size.width};
}

RandomResizedCrop::RandomResizedCrop(Size size, const RandomResizedCropOptions& options)
    : size_(size), options_(options) {
  parameters::require("random_resized_crop", parameters::valid_size("size", size));
  parameters::require("random_resized_crop", valid_options(options));
}

Status RandomResizedCrop::apply(Canvas& canvas, Random& random) const {
  STOKER_RETURN_IF_FAILED(
      canvas.crop(random_resized_crop_box(canvas.size(), options_.scale, options_.ratio, random)));
  return canvas.resize(size_, options_.interpolation);
}

std::optional<Size> RandomResizedCrop::output_size(std::optional<Size> /*input*/) const {
  return size_;
}

std::string RandomResizedCrop::text() const {
  return fmt::format("random_resized_crop(size={}, scale={}, ratio={}, {})", size_text(size_),
                     list_text({options_.scale.low, options_.scale.high}),
                     list_text({options_.ratio.low, options_.ratio.high}),
                     parameters::resampling_text(options_.interpolation, options_.antialias));
}

Step random_resized_crop(Size size, const RandomResizedCropOptions& options) {
  return std::make_shared<RandomResizedCrop>(size, options);
}

Step random_resized_crop(int edge, const RandomResizedCropOptions& options) {
  return random_resized_crop(Size{edge, edge}, options);
}

Step make_random_resized_crop(Arguments& arguments) {
  const Size size = square_or_size(arguments, "size");
  RandomResizedCropOptions options;
  options.scale = interval_parameter(arguments, "scale", default_crop_scale);
  options.ratio = interval_parameter(arguments, "ratio", default_crop_ratio);
  options.interpolation = parameters::interpolation(arguments);
  options.antialias = arguments.boolean("antialias", true);
  parameters::require(arguments, valid_options(options));
  arguments.finish();
  return random_resized_crop(size, options);
}

}  // namespace stoker
