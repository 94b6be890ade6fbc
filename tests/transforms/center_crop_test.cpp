#include <stoker/transforms/center_crop.hpp>

#include "tests/transforms/eager_canvas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

using ::testing::ElementsAre;

// Python: round(0.5) == 0, round(1.5) == 2, round(2.5) == 2.
TEST(CenterCrop, RoundsAHalfPixelToTheEvenNumber) {
  EXPECT_EQ(center_crop_box({11, 13}, {10, 10}), (Rect{0, 2, 10, 10}));
  EXPECT_EQ(center_crop_box({15, 17}, {10, 10}), (Rect{2, 4, 10, 10}));
  EXPECT_EQ(center_crop_box({12, 14}, {10, 10}), (Rect{1, 2, 10, 10}));
}

TEST(CenterCrop, PadsASmallerImageWithZerosTheOddPixelBehind) {
  const EagerCanvas canvas = applied(center_crop(Size{5, 4}), chart({2, 9}));
  EXPECT_THAT(canvas.calls(), ElementsAre("pad 0 [-1, 2] 5x4"));
  const auto first_channel = [&](int y) { return canvas.image().row(y)[0]; };
  EXPECT_EQ(first_channel(0), 0);
  EXPECT_EQ(first_channel(1), 1);
  EXPECT_EQ(first_channel(2), 2);
  EXPECT_EQ(first_channel(3), 0);
  EXPECT_EQ(first_channel(4), 0);
}

TEST(CenterCrop, CropsWithoutPaddingWhereItFits) {
  EXPECT_THAT(applied(center_crop(4), chart({4, 9})).calls(), ElementsAre("crop [0, 2] 4x4"));
  EXPECT_EQ(as_transform(center_crop(4)).output_size({}), (Size{4, 4}));
}

// What is padded behind normalize would have to be normalised zeros.
TEST(CenterCrop, DoesNotCountAsOnlyMovingPixels) {
  EXPECT_FALSE(as_transform(center_crop(4)).only_moves_pixels());
}

}  // namespace
}  // namespace stoker::testing
