#include "bench/footprint.hpp"

#include <stoker/transforms/random_resized_crop.hpp>

#include <gtest/gtest.h>

namespace stoker::bench {
namespace {

constexpr Size image{375, 500};

Rect needed(const char* pipeline) { return footprint(Pipeline::parse(pipeline), image, {}); }

TEST(Footprint, IsTheBoxThatTheRandomResizedCropDraws) {
  const RandomKey key{.seed = 3, .epoch = 2, .position = 11};
  Random random(key, 1);
  EXPECT_EQ(footprint(Pipeline::parse("decode | random_resized_crop(224) | normalize(imagenet)"),
                      image, key),
            random_resized_crop_box(image, default_crop_scale, default_crop_ratio, random));
}

TEST(Footprint, IsTheWholeImageWithoutCrops) {
  EXPECT_EQ(needed("decode | resize([32, 32])"), (Rect{0, 0, 375, 500}));
}

TEST(Footprint, AddsUpCrops) {
  EXPECT_EQ(needed("decode | crop(10, 20, 100, 200) | crop(1, 2, 30, 40)"), (Rect{11, 22, 30, 40}));
}

TEST(Footprint, FollowsACropThroughTheResizeBeforeIt) {
  const Rect rect = needed("decode | resize([94, 125]) | crop(0, 25, 94, 75)");
  EXPECT_EQ(rect.top, 0);
  EXPECT_EQ(rect.height, 375);
  EXPECT_NEAR(rect.left, 100, 8) << "four source pixels a pixel, and the filter's support";
  EXPECT_NEAR(rect.right(), 400, 8);
}

TEST(Footprint, StopsNarrowingBehindAFlip) {
  EXPECT_EQ(needed("decode | crop(0, 0, 100, 100) | horizontal_flip | crop(0, 0, 10, 10)"),
            (Rect{0, 0, 100, 100}));
}

TEST(Footprint, KeepsAllWhereACropDoesNotFit) {
  EXPECT_EQ(needed("decode | crop(0, 0, 4000, 4000)"), (Rect{0, 0, 375, 500}));
}

}  // namespace
}  // namespace stoker::bench
