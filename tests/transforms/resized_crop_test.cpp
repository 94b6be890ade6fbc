#include <stoker/transforms/resized_crop.hpp>

#include "tests/transforms/eager_canvas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ResizedCrop, CropsAndThenResizes) {
  const Step step = resized_crop({2, 3, 4, 5}, {8, 9}, Interpolation::bicubic);
  EXPECT_THAT(applied(step, chart({10, 12})).calls(),
              ElementsAre("crop [2, 3] 4x5", "resize 8x9 bicubic"));
  EXPECT_EQ(as_transform(step).output_size({}), (Size{8, 9}));
  EXPECT_FALSE(as_transform(step).only_moves_pixels());
}

TEST(ResizedCrop, FailsWhereTheRectangleReachesOutside) {
  const Failure failure = failure_of(resized_crop({2, 3, 4, 5}, {8, 8}), {5, 12});
  EXPECT_EQ(failure.code, ErrorCode::crop_out_of_bounds);
  EXPECT_THAT(failure.message, HasSubstr("resized_crop: the rectangle top=2"));
}

}  // namespace
}  // namespace stoker::testing
