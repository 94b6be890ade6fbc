#include <stoker/transforms/random_crop.hpp>

#include "tests/transforms/chi_square.hpp"
#include "tests/transforms/eager_canvas.hpp"
#include "tests/transforms/step_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RandomCrop, IsUniformOverAllPlaces) {
  const Step step = random_crop(Size{4, 6});
  Histogram places(25);
  for (std::uint64_t seed = 0; seed < 25000; ++seed) {
    const EagerCanvas canvas = applied(step, chart({8, 10}), seed);
    const int top = canvas.image().row(0)[0] - 1;
    const int left = canvas.image().row(0)[1] - 1;
    places.add(static_cast<std::size_t>(top * 5 + left));
  }
  EXPECT_LT(places.chi_square(), chi_square_limit_24);
}

// 32x32 with 4 pixels around, as CIFAR training does it: 9 places each way.
TEST(RandomCrop, ReachesIntoThePadding) {
  const Step step = random_crop(32, {.padding = {4, 4, 4, 4}, .fill = 77});
  bool top_left = false, bottom_right = false;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const EagerCanvas canvas = applied(step, chart({32, 32}), seed);
    ASSERT_EQ(canvas.size(), (Size{32, 32}));
    top_left |= canvas.calls().front() == "pad 77 [-4, -4] 32x32";
    bottom_right |= canvas.calls().front() == "pad 77 [4, 4] 32x32";
    if (canvas.calls().front() == "pad 77 [-4, -4] 32x32") {
      EXPECT_EQ(canvas.image().row(3)[3 * 3], 77);
      EXPECT_EQ(canvas.image().row(4)[3 * 4], 1);
    }
  }
  EXPECT_TRUE(top_left);
  EXPECT_TRUE(bottom_right);
}

TEST(RandomCrop, TakesAnImageOfItsSizeWhole) {
  EXPECT_THAT(applied(random_crop(Size{4, 6}), chart({4, 6})).calls(),
              ElementsAre("crop [0, 0] 4x6"));
}

// torchvision adds the missing pixels on both sides, so that the image may stand anywhere between.
TEST(RandomCrop, PadsByWhatIsMissingOnBothSidesIfNeeded) {
  const Step step = random_crop(Size{5, 6}, {.pad_if_needed = true});
  Histogram tops(2);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string call = applied(step, chart({4, 6}), seed).calls().front();
    ASSERT_THAT(call, ::testing::AnyOf("pad 0 [-1, 0] 5x6", "pad 0 [0, 0] 5x6"));
    tops.add(call == "pad 0 [-1, 0] 5x6" ? 0 : 1);
  }
  EXPECT_LT(tops.chi_square(), chi_square_limit_1);
}

TEST(RandomCrop, FailsWithBothSizesWhereTheImageIsTooSmall) {
  const Failure failure =
      failure_of(random_crop(Size{40, 20}, {.padding = {1, 2, 3, 4}}), {30, 30});
  EXPECT_EQ(failure.code, ErrorCode::crop_out_of_bounds);
  EXPECT_THAT(failure.message, HasSubstr("crop of 40x20 does not fit into an image of 36x34"));
}

TEST(RandomCrop, OnlyMovesPixelsWhereItNeverPads) {
  EXPECT_TRUE(as_transform(random_crop(4)).only_moves_pixels());
  EXPECT_FALSE(as_transform(random_crop(4, {.padding = {1, 0, 0, 0}})).only_moves_pixels());
  EXPECT_FALSE(as_transform(random_crop(4, {.pad_if_needed = true})).only_moves_pixels());
  EXPECT_EQ(as_transform(random_crop(4)).output_size({}), (Size{4, 4}));
}

TEST(RandomCrop, ReadsPaddingAsOneTwoOrFourNumbers) {
  const auto padding = [](std::string_view text) { return read_step(text)->text(); };
  EXPECT_THAT(padding("random_crop(32)"), HasSubstr("padding=[0, 0, 0, 0]"));
  EXPECT_THAT(padding("random_crop(32, 4)"), HasSubstr("padding=[4, 4, 4, 4]"));
  EXPECT_THAT(padding("random_crop(32, [1, 2])"), HasSubstr("padding=[1, 2, 1, 2]"));
  EXPECT_THAT(padding("random_crop(32, padding=[1, 2, 3, 4])"), HasSubstr("padding=[1, 2, 3, 4]"));
}

}  // namespace
}  // namespace stoker::testing
