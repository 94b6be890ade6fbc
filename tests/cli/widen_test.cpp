#include "cli/widen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stoker::cli {
namespace {

TEST(Widen, GivesTheValueOfAFloat16) {
  EXPECT_EQ(widen_float16(0x3C00), 1.0F);
  EXPECT_EQ(widen_float16(0xC000), -2.0F);
  EXPECT_EQ(widen_float16(0x3555), 0.333251953125F);
  EXPECT_EQ(widen_float16(0x7BFF), 65504.0F) << "largest";
  EXPECT_EQ(widen_float16(0x0001), std::ldexp(1.0F, -24)) << "smallest subnormal";
  EXPECT_EQ(widen_float16(0x0400), std::ldexp(1.0F, -14)) << "smallest normal";
}

TEST(Widen, KeepsZerosInfinitiesAndNaN) {
  EXPECT_TRUE(std::signbit(widen_float16(0x8000)));
  EXPECT_EQ(widen_float16(0x8000), 0.0F);
  EXPECT_EQ(widen_float16(0xFC00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(widen_float16(0x7E00)));
}

TEST(Widen, GivesTheValueOfABfloat16) {
  EXPECT_EQ(widen_bfloat16(0x3F80), 1.0F);
  EXPECT_EQ(widen_bfloat16(0xC040), -3.0F);
  EXPECT_TRUE(std::isnan(widen_bfloat16(0x7FC0)));
}

}  // namespace
}  // namespace stoker::cli
