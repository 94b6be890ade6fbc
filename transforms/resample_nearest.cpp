#include "transforms/resample_nearest.hpp"

#include <algorithm>
#include <cstring>

namespace stoker::resample {
namespace {

/// Walks over the positions of the wanted pixels in Pillow's own way, so that rounding errors
/// agree.
class Walk {
 public:
  explicit Walk(const Axis& axis)
      : step_(static_cast<double>(axis.end - axis.begin) / axis.size),
        position_(axis.begin + step_ * 0.5),
        last_(axis.source - 1) {
    for (int skipped = 0; skipped < axis.first; ++skipped) position_ += step_;
  }

  int next() {
    const int index = std::min(static_cast<int>(position_), last_);
    position_ += step_;
    return index;
  }

 private:
  double step_;
  double position_;
  int last_;
};

}  // namespace

void nearest_indices(const Axis& axis, int origin, std::span<std::int32_t> indices) {
  Walk walk(axis);
  for (std::int32_t& index : indices) index = walk.next() - origin;
}

Range nearest_footprint(const Axis& axis) {
  Walk walk(axis);
  const int begin = walk.next();
  int last = begin;
  for (int index = 1; index < axis.count; ++index) last = walk.next();
  return {begin, last + 1};
}

void gather_pixels(const std::uint8_t* row, std::span<const std::int32_t> columns,
                   std::uint8_t* out) {
  for (const std::int32_t column : columns) {
    // Four bytes in one move; the next pixel overwrites the fourth.
    std::memcpy(out, row + std::ptrdiff_t{column} * ImageView::channels, 4);
    out += ImageView::channels;
  }
}

}  // namespace stoker::resample
