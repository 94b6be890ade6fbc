#include <stoker/transforms/resample.hpp>

#include "transforms/resample_passes.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <array>
#include <string>

namespace stoker {
namespace {

using resample::Axis;
using resample::Destination;
using resample::Source;

constexpr std::array<std::string_view, 3> names{"nearest", "bilinear", "bicubic"};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

std::string words(const Rect& rect) {
  return fmt::format("{} x {} pixels at row {}, column {}", rect.height, rect.width, rect.top,
                     rect.left);
}

void require_box_inside(const Axis& axis, std::string_view direction) {
  if (axis.begin >= 0 && axis.begin < axis.end && axis.end <= static_cast<float>(axis.source)) {
    return;
  }
  refuse(
      fmt::format("the box to resize is empty or reaches outside the image: {} from {} to {} of "
                  "{} pixels",
                  direction, axis.begin, axis.end, axis.source));
}

void require_valid(Size source, const Resampler::Request& request) {
  if (!request.window.inside(request.size)) {
    refuse(fmt::format("{} are no part of an image resized to {} x {} pixels",
                       words(request.window), request.size.height, request.size.width));
  }
  require_box_inside(resample::horizontal_axis(source, request), "horizontally");
  require_box_inside(resample::vertical_axis(source, request), "vertically");
}

void require_held(const Rect& needed, const Source& source) {
  const Rect moved{needed.top - source.top, needed.left - source.left, needed.height, needed.width};
  if (moved.inside(source.pixels.size)) return;
  refuse(fmt::format(
      "resizing needs {}, the given pixels are {}", words(needed),
      words({source.top, source.left, source.pixels.size.height, source.pixels.size.width})));
}

}  // namespace

std::string_view name(Interpolation interpolation) noexcept {
  return names[static_cast<std::size_t>(interpolation)];
}

std::optional<Interpolation> parse_interpolation(std::string_view name) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Interpolation>(i);
  }
  return std::nullopt;
}

struct Resampler::Impl {
  resample::Passes passes;

  void run(const Source& source, const Request& request, const Destination& destination) {
    require_held(footprint(source.size, request), source);
    passes.run(source, request, destination);
  }
};

Resampler::Resampler() : impl_(std::make_unique<Impl>()) {}
Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;

Rect Resampler::footprint(Size source, const Request& request) {
  require_valid(source, request);
  const resample::Range rows = resample::footprint(resample::vertical_axis(source, request));
  const resample::Range columns = resample::footprint(resample::horizontal_axis(source, request));
  return {rows.begin, columns.begin, rows.size(), columns.size()};
}

void Resampler::run(const ImageView& pixels, int origin_top, int origin_left, Size source,
                    const Request& request, RowSink sink) {
  impl_->run({pixels, origin_top, origin_left, source}, request, {nullptr, 0, &sink});
}

void Resampler::run(const ImageView& pixels, const Request& request, Image& out) {
  require_valid(pixels.size, request);
  out.resize(request.window.size());
  impl_->run({pixels, 0, 0, pixels.size}, request, {out.data(), out.stride(), nullptr});
}

std::size_t Resampler::capacity() const noexcept { return impl_->passes.capacity(); }

}  // namespace stoker
