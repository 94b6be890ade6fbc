#include "transforms/resample_axis.hpp"

#include "transforms/resample_nearest.hpp"

#include <algorithm>

namespace stoker::resample {

Axis horizontal_axis(Size source, const Resampler::Request& request) {
  return {source.width,
          static_cast<float>(request.box.left),
          static_cast<float>(request.box.right),
          request.size.width,
          request.window.left,
          request.window.width,
          request.interpolation};
}

Axis vertical_axis(Size source, const Resampler::Request& request) {
  return {source.height,
          static_cast<float>(request.box.top),
          static_cast<float>(request.box.bottom),
          request.size.height,
          request.window.top,
          request.window.height,
          request.interpolation};
}

Stretch stretch(const Axis& axis) {
  const double scale = static_cast<double>(axis.end - axis.begin) / axis.size;
  const double widening = std::max(scale, 1.0);
  const double radius = axis.interpolation == Interpolation::bicubic ? 2.0 : 1.0;
  return {scale, radius * widening, 1.0 / widening};
}

bool vertical_first(Size source, Size target) {
  return source.height / 100.0 > source.width && target.height < source.height;
}

bool only_moves(const Axis& axis) {
  const auto begin = static_cast<int>(axis.begin);
  return static_cast<float>(begin) == axis.begin &&
         axis.end - axis.begin == static_cast<float>(axis.size) && begin + axis.size <= axis.source;
}

Range taps_of(const Axis& axis, const Stretch& stretch, int index) {
  const double center = axis.begin + (axis.first + index + 0.5) * stretch.scale;
  return {std::max(static_cast<int>(center - stretch.support + 0.5), 0),
          std::min(static_cast<int>(center + stretch.support + 0.5), axis.source)};
}

Range footprint(const Axis& axis) {
  if (only_moves(axis)) {
    const int begin = static_cast<int>(axis.begin) + axis.first;
    return {begin, begin + axis.count};
  }
  if (axis.interpolation == Interpolation::nearest) return nearest_footprint(axis);
  const Stretch over = stretch(axis);
  return {taps_of(axis, over, 0).begin, taps_of(axis, over, axis.count - 1).end};
}

}  // namespace stoker::resample
