#include <stoker/transforms/random_resized_crop.hpp>

#include "tests/transforms/chi_square.hpp"
#include "tests/transforms/eager_canvas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stoker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

Rect box_of(Size image, const Interval& scale, const Interval& ratio, std::uint64_t seed) {
  Random random({.seed = seed}, 1);
  return random_resized_crop_box(image, scale, ratio, random);
}

// Every try fits here, so that areas and ratios keep the distribution they are drawn from.
TEST(RandomResizedCrop, DrawsAreaRatioAndPlaceUniformly) {
  constexpr Size image{2000, 2000};
  constexpr Interval scale{0.1, 0.5};
  const double log_ratio = std::log(default_crop_ratio.high);
  Histogram areas(10), ratios(10), tops(10), lefts(10);
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const Rect box = box_of(image, scale, default_crop_ratio, seed);
    const double area = static_cast<double>(box.height) * box.width / (2000.0 * 2000.0);
    areas.add_fraction((area - scale.low) / (scale.high - scale.low));
    ratios.add_fraction(std::log(static_cast<double>(box.width) / box.height) / (2 * log_ratio) +
                        0.5);
    tops.add_fraction(static_cast<double>(box.top) / (image.height - box.height + 1));
    lefts.add_fraction(static_cast<double>(box.left) / (image.width - box.width + 1));
  }
  EXPECT_LT(areas.chi_square(), chi_square_limit_9);
  EXPECT_LT(ratios.chi_square(), chi_square_limit_9);
  EXPECT_LT(tops.chi_square(), chi_square_limit_9);
  EXPECT_LT(lefts.chi_square(), chi_square_limit_9);
}

TEST(RandomResizedCrop, AlwaysLiesInsideTheImage) {
  for (const Size image : {Size{1, 1}, Size{1, 500}, Size{500, 1}, Size{3, 2}, Size{375, 500}}) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      const Rect box = box_of(image, default_crop_scale, default_crop_ratio, seed);
      ASSERT_TRUE(box.inside(image)) << image.height << 'x' << image.width << " seed " << seed;
    }
  }
}

// With the whole area asked for, no box of these images has a ratio that is allowed.
TEST(RandomResizedCrop, FallsBackToTheLargestAllowedBoxInTheMiddle) {
  constexpr Interval whole{1, 1};
  EXPECT_EQ(box_of({10, 1000}, whole, default_crop_ratio, 1), (Rect{0, 493, 10, 13}));  // 13.3
  EXPECT_EQ(box_of({1000, 10}, whole, default_crop_ratio, 1), (Rect{493, 0, 13, 10}));
  EXPECT_EQ(box_of({10, 1000}, whole, {0.25, 0.25}, 1),
            (Rect{0, 499, 10, 2}));  // 2.5 to the even 2
  EXPECT_EQ(box_of({100, 100}, {2, 2}, default_crop_ratio, 1), (Rect{0, 0, 100, 100}));
  EXPECT_EQ(box_of({1000, 1}, whole, {100, 100}, 1),
            (Rect{499, 0, 1, 1}));  // 0.01, at least a pixel
}

TEST(RandomResizedCrop, CropsToTheBoxAndResizes) {
  const Step step = random_resized_crop(Size{8, 9}, {.interpolation = Interpolation::bicubic});
  EXPECT_THAT(applied(step, chart({40, 50})).calls(),
              ElementsAre(StartsWith("crop ["), "resize 8x9 bicubic"));
  EXPECT_EQ(as_transform(step).output_size({}), (Size{8, 9}));
  EXPECT_FALSE(as_transform(step).only_moves_pixels());
}

TEST(RandomResizedCrop, GivesTheSameBoxForTheSameRandomNumbers) {
  const Rect box = box_of({375, 500}, default_crop_scale, default_crop_ratio, 7);
  EXPECT_EQ(box_of({375, 500}, default_crop_scale, default_crop_ratio, 7), box);
  EXPECT_NE(box_of({375, 500}, default_crop_scale, default_crop_ratio, 8), box);
}

TEST(RandomResizedCrop, WritesItsDefaults) {
  EXPECT_EQ(random_resized_crop(224)->text(),
            "random_resized_crop(size=[224, 224], scale=[0.08, 1], "
            "ratio=[0.75, 1.3333333333333333], interpolation=bilinear, antialias=true)");
}

}  // namespace
}  // namespace stoker::testing
