#include <stoker/transforms/resize.hpp>

#include "tests/transforms/eager_canvas.hpp"
#include "tests/transforms/step_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Resize, BringsTheShortEdgeToOneNumberAndRoundsTheLongOneDown) {
  EXPECT_EQ(short_edge_size({61, 97}, 48), (Size{48, 76}));  // 76.3
  EXPECT_EQ(short_edge_size({97, 61}, 48), (Size{76, 48}));
  EXPECT_EQ(short_edge_size({375, 500}, 256), (Size{256, 341}));  // 341.3
  EXPECT_EQ(short_edge_size({100, 100}, 7), (Size{7, 7}));
  EXPECT_EQ(short_edge_size({1, 3}, 2), (Size{2, 6}));
}

TEST(Resize, AsksTheCanvasForTheSizeAndTheFilter) {
  EXPECT_THAT(applied(resize(24), chart({61, 97})).calls(), ElementsAre("resize 24x38 bilinear"));
  EXPECT_THAT(applied(resize(Size{5, 9}, Interpolation::bicubic), chart({20, 30})).calls(),
              ElementsAre("resize 5x9 bicubic"));
  EXPECT_THAT(applied(resize(Size{5, 9}, Interpolation::nearest, false), chart({20, 30})).calls(),
              ElementsAre("resize 5x9 nearest"));
}

TEST(Resize, KnowsTheSizeBehindItWhereItCan) {
  EXPECT_EQ(as_transform(resize(Size{5, 9})).output_size({}), (Size{5, 9}));
  EXPECT_EQ(as_transform(resize(48)).output_size({}), std::nullopt);
  EXPECT_EQ(as_transform(resize(48)).output_size(Size{61, 97}), (Size{48, 76}));
  EXPECT_FALSE(as_transform(resize(48)).only_moves_pixels());
}

TEST(Resize, FailsWhereTheLongEdgeBecomesTooLong) {
  const Failure failure = failure_of(resize(60000), {1, 2});
  EXPECT_EQ(failure.code, ErrorCode::image_too_large);
  EXPECT_THAT(failure.message, HasSubstr("1x2 would become 60000x120000"));
}

TEST(Resize, WritesEveryParameter) {
  EXPECT_EQ(resize(48)->text(), "resize(size=48, interpolation=bilinear, antialias=true)");
  EXPECT_EQ(resize(Size{32, 48}, Interpolation::nearest, false)->text(),
            "resize(size=[32, 48], interpolation=nearest, antialias=false)");
  EXPECT_EQ(read_step("resize([48])")->text(), resize(48)->text());
  EXPECT_EQ(read_step("resize([32, 48], bicubic)")->text(),
            resize(Size{32, 48}, Interpolation::bicubic)->text());
}

}  // namespace
}  // namespace stoker::testing
