#include "decoders/orientation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace stoker::test {
namespace {

struct Position {
  int y = 0;
  int x = 0;
};

/// Where the upright image's pixel (y, x) lies in the stored image of `stored` size, spelt out for
/// each value. Source: CIPA DC-008 (Exif), tag 0x0112: which sides row 0 and column 0 stand for.
Position stored_position(int value, Size stored, int y, int x) {
  const int bottom = stored.height - 1;
  const int right = stored.width - 1;
  switch (value) {
    case 2: return {y, right - x};
    case 3: return {bottom - y, right - x};
    case 4: return {bottom - y, x};
    case 5: return {x, y};
    case 6: return {bottom - x, y};
    case 7: return {bottom - x, right - y};
    case 8: return {x, right - y};
    default: return {y, x};
  }
}

Image numbered(Size size) {
  Image image(size);
  for (std::size_t i = 0; i < image.bytes(); ++i) {
    image.data()[i] = static_cast<std::uint8_t>(i * 31 + i / 256 * 7);
  }
  return image;
}

std::array<int, 3> pixel(const Image& image, int y, int x) {
  const std::uint8_t* p = image.row(y) + x * Image::channels;
  return {p[0], p[1], p[2]};
}

class OrientationValue : public testing::TestWithParam<int> {};

TEST_P(OrientationValue, MovesEveryPixelWhereItBelongs) {
  const Size stored{37, 71};
  const Image image = numbered(stored);
  const Orientation orientation = Orientation::from_exif(GetParam());
  Image upright;
  turn(image.view(), orientation, upright);
  ASSERT_EQ(upright.size(), orientation.turned(stored));
  for (int y = 0; y < upright.size().height; ++y) {
    for (int x = 0; x < upright.size().width; ++x) {
      const Position from = stored_position(GetParam(), stored, y, x);
      ASSERT_EQ(pixel(upright, y, x), pixel(image, from.y, from.x)) << y << ", " << x;
    }
  }
}

TEST_P(OrientationValue, FindsAWindowInTheStoredImage) {
  const Size stored{37, 71};
  const Image image = numbered(stored);
  const Orientation orientation = Orientation::from_exif(GetParam());
  const Size size = orientation.turned(stored);
  const Rect window{3, 8, 12, 21};
  const Rect inner = orientation.to_stored(window, size);
  ASSERT_TRUE(inner.inside(stored));
  Image part;
  turn(image.view().window(inner), orientation, part);
  ASSERT_EQ(part.size(), window.size());
  for (int y = 0; y < window.height; ++y) {
    for (int x = 0; x < window.width; ++x) {
      const Position from = stored_position(GetParam(), stored, window.top + y, window.left + x);
      ASSERT_EQ(pixel(part, y, x), pixel(image, from.y, from.x)) << y << ", " << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OrientationValue, testing::Range(1, 9));

TEST(Orientation, IsUprightForValuesThatAreNone) {
  for (const int value : {-1, 0, 1, 9, 65535}) {
    EXPECT_TRUE(Orientation::from_exif(value).is_upright());
  }
}

}  // namespace
}  // namespace stoker::test
