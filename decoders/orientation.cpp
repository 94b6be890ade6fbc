#include "decoders/orientation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace stoker {

Orientation Orientation::from_exif(int value) noexcept {
  if (value < 1 || value > 8) return {};
  return {.exchange = value >= 5,
          .mirror_rows = value == 2 || value == 3 || value == 6 || value == 7,
          .mirror_columns = value == 3 || value == 4 || value == 7 || value == 8};
}

Rect Orientation::to_stored(const Rect& rect, Size upright) const noexcept {
  Rect stored = rect;
  if (mirror_rows) stored.left = upright.width - rect.right();
  if (mirror_columns) stored.top = upright.height - rect.bottom();
  if (exchange) return {stored.left, stored.top, stored.width, stored.height};
  return stored;
}

void turn(const ImageView& stored, const Orientation& orientation, Image& out) {
  constexpr std::ptrdiff_t pixel = ImageView::channels;
  constexpr int strip = 32;  // columns at a time: the stored rows they come from stay cached
  const Size size = orientation.turned(stored.size);
  out.resize(size);
  const auto stride = static_cast<std::ptrdiff_t>(stored.stride);
  std::ptrdiff_t step_x = orientation.exchange ? stride : pixel;
  std::ptrdiff_t step_y = orientation.exchange ? pixel : stride;
  const std::uint8_t* origin = stored.data;
  if (orientation.mirror_rows) {
    origin += (size.width - 1) * step_x;
    step_x = -step_x;
  }
  if (orientation.mirror_columns) {
    origin += (size.height - 1) * step_y;
    step_y = -step_y;
  }
  for (int left = 0; left < size.width; left += strip) {
    const int right = std::min(left + strip, size.width);
    for (int y = 0; y < size.height; ++y) {
      const std::uint8_t* from = origin + y * step_y + left * step_x;
      std::uint8_t* to = out.row(y) + left * pixel;
      for (int x = left; x < right; ++x, from += step_x, to += pixel) {
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
      }
    }
  }
}

}  // namespace stoker
