#include "samplers/reproducible_log.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace stoker {
namespace {

TEST(ReproducibleLog, IsTheLogarithm) {
  for (int i = 1; i < 200'000; ++i) {
    const double x = i * 0x1.0p-17;
    ASSERT_NEAR(reproducible_log(x), std::log(x), 1e-15 * std::abs(std::log(x))) << x;
  }
  for (int exponent = -1022; exponent < 1023; ++exponent) {
    const double x = std::ldexp(1.2345678, exponent);
    ASSERT_NEAR(reproducible_log(x), std::log(x), 1e-15 * std::abs(std::log(x))) << x;
  }
}

TEST(ReproducibleLog, IsZeroAtOneAndRightBesideIt) {
  EXPECT_EQ(reproducible_log(1.0), 0.0);
  EXPECT_DOUBLE_EQ(reproducible_log(1 - 0x1.0p-53), -0x1.0p-53);
  EXPECT_DOUBLE_EQ(reproducible_log(1 + 0x1.0p-52), 0x1.0p-52);
}

TEST(ReproducibleLog, HasTheseBitsOnEveryMachine) {
  std::uint64_t all = 0;
  for (int i = 1; i <= 10'000; ++i) {
    all = std::rotl(all, 7) ^ std::bit_cast<std::uint64_t>(reproducible_log(i * 0x1.9p-15));
  }
  EXPECT_EQ(all, 16528064265236466299U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(reproducible_log(0.1)), 13835739416338191637U);
}

}  // namespace
}  // namespace stoker
