#include "transforms/narrow_float.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stoker {
namespace {

constexpr std::uint16_t sign = 0x8000;

// Between two neighbours every float goes to the nearer one, and the middle to the even one: that
// is rounding to nearest, proved for all floats by looking at the three around each middle.
template <class Round, class Widen>
void expect_rounds_to_nearest(Round round, Widen widen, unsigned infinity) {
  for (unsigned low = 0; low + 1 < infinity; ++low) {
    const auto a = static_cast<std::uint16_t>(low);
    const auto b = static_cast<std::uint16_t>(low + 1);
    const auto middle =
        static_cast<float>((static_cast<double>(widen(a)) + static_cast<double>(widen(b))) / 2);
    const std::uint16_t even = low % 2 == 0 ? a : b;
    ASSERT_EQ(round(widen(a)), a);
    ASSERT_EQ(round(std::nextafterf(middle, -INFINITY)), a) << low;
    ASSERT_EQ(round(middle), even) << low;
    ASSERT_EQ(round(std::nextafterf(middle, INFINITY)), b) << low;
    ASSERT_EQ(round(-middle), even | sign) << low;
    ASSERT_EQ(widen(a | sign), -widen(a));
  }
}

TEST(NarrowFloat, RoundsToTheNearestFloat16) {
  expect_rounds_to_nearest(float16_bits, float_of_float16, 0x7C00);
}

TEST(NarrowFloat, RoundsToTheNearestBfloat16) {
  expect_rounds_to_nearest(bfloat16_bits, float_of_bfloat16, 0x7F80);
}

TEST(NarrowFloat, KnowsFloat16ByItsLandmarks) {
  EXPECT_EQ(float_of_float16(0x3C00), 1.0F);
  EXPECT_EQ(float_of_float16(0x7BFF), 65504.0F);
  EXPECT_EQ(float_of_float16(0x0400), 0x1p-14F);
  EXPECT_EQ(float_of_float16(0x0001), 0x1p-24F);
  EXPECT_EQ(float_of_float16(0x7C00), INFINITY);
  EXPECT_EQ(float16_bits(65519.99F), 0x7BFF);
  EXPECT_EQ(float16_bits(65520.0F), 0x7C00);
  EXPECT_EQ(float16_bits(-1e30F), 0xFC00);
  EXPECT_EQ(float16_bits(-0.0F), 0x8000);
  EXPECT_EQ(float16_bits(0x1p-25F), 0x0000);
}

TEST(NarrowFloat, KnowsBfloat16ByItsLandmarks) {
  EXPECT_EQ(float_of_bfloat16(0x3F80), 1.0F);
  EXPECT_EQ(bfloat16_bits(3.4028235e38F), 0x7F80);
  EXPECT_EQ(bfloat16_bits(-INFINITY), 0xFF80);
  EXPECT_EQ(bfloat16_bits(-0.0F), 0x8000);
}

}  // namespace
}  // namespace stoker
