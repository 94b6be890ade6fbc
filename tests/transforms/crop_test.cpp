#include <stoker/transforms/crop.hpp>

#include "tests/transforms/eager_canvas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

using ::testing::HasSubstr;

TEST(Crop, KeepsThePixelsInsideTheRectangle) {
  const EagerCanvas canvas = applied(crop({2, 3, 4, 5}), chart({10, 12}));
  ASSERT_EQ(canvas.size(), (Size{4, 5}));
  EXPECT_EQ(canvas.image().row(0)[0], 2 + 1);
  EXPECT_EQ(canvas.image().row(0)[1], 3 + 1);
  EXPECT_EQ(canvas.image().row(3)[4 * 3], 5 + 1);
  EXPECT_EQ(canvas.image().row(3)[4 * 3 + 1], 7 + 1);
}

TEST(Crop, TakesTheWholeImage) {
  EXPECT_EQ(pixels_of(applied(crop({0, 0, 10, 12}), chart({10, 12})).image()),
            pixels_of(chart({10, 12})));
}

TEST(Crop, FailsWhereItReachesOutside) {
  for (const Rect& rect :
       {Rect{7, 0, 4, 5}, Rect{0, 8, 4, 5}, Rect{0, 0, 11, 1}, Rect{20, 20, 1, 1}}) {
    EXPECT_EQ(failure_of(crop(rect), {10, 12}).code, ErrorCode::crop_out_of_bounds);
  }
  EXPECT_THAT(
      failure_of(crop({7, 0, 4, 5}), {10, 12}).message,
      HasSubstr("crop: the rectangle top=7, left=0, height=4, width=5 does not lie inside an "
                "image of 10x12"));
}

TEST(Crop, OnlyMovesPixelsAndKnowsItsSize) {
  EXPECT_TRUE(as_transform(crop({2, 3, 4, 5})).only_moves_pixels());
  EXPECT_EQ(as_transform(crop({2, 3, 4, 5})).output_size({}), (Size{4, 5}));
}

}  // namespace
}  // namespace stoker::testing
