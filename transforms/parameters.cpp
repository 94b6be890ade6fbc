#include "transforms/parameters.hpp"

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <limits>

namespace stoker::parameters {

void require(std::string_view operation, const Check& check) {
  if (!check) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: {} {}", operation, check->parameter, check->why));
}

void require(const Arguments& arguments, const Check& check) {
  if (check) arguments.reject(check->parameter, check->why);
}

Check within(std::string_view parameter, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  return Flaw{parameter, fmt::format("must be from {} to {}, not {}", number_text(low),
                                     number_text(high), number_text(value))};
}

Check valid_size(std::string_view parameter, Size size) {
  const auto height = within(parameter, size.height, 1, max_edge);
  return height ? height : within(parameter, size.width, 1, max_edge);
}

Check valid_antialias(Interpolation interpolation, bool antialias) {
  if (antialias || interpolation == Interpolation::nearest) return {};
  return Flaw{"antialias",
              fmt::format("must be true with {}: it is always antialiased, as Pillow's "
                          "is; only nearest works without",
                          name(interpolation))};
}

int integer(Arguments& arguments, std::string_view name, std::optional<int> otherwise) {
  const std::int64_t value = arguments.integer(name, otherwise);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    arguments.reject(name, "is out of range");
  }
  return static_cast<int>(value);
}

Interpolation interpolation(Arguments& arguments) {
  const std::string word = arguments.word("interpolation", "bilinear");
  const std::optional<Interpolation> parsed = parse_interpolation(word);
  if (!parsed) {
    arguments.reject("interpolation", "must be nearest, bilinear or bicubic, not " + word);
  }
  return *parsed;
}

std::string resampling_text(Interpolation interpolation, bool antialias) {
  return fmt::format("interpolation={}, antialias={}", name(interpolation), antialias);
}

std::string edges_text(Size size) { return fmt::format("{}x{}", size.height, size.width); }

}  // namespace stoker::parameters
