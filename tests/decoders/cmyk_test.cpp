#include "decoders/cmyk.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace stoker::test {
namespace {

TEST(Cmyk, FollowsItsFormulaForEveryPairOfInkAndBlack) {
  for (int light = 0; light < 256; ++light) {
    for (int value = 0; value < 256; ++value) {
      const std::array<std::uint8_t, 4> cmyk{static_cast<std::uint8_t>(value), 255, 0,
                                             static_cast<std::uint8_t>(light)};
      std::array<std::uint8_t, 3> rgb{};
      inverted_cmyk_to_rgb(cmyk.data(), 1, rgb.data());
      ASSERT_EQ(rgb[0], light - std::lround((255 - value) * light / 255.0))
          << value << ", " << light;
      ASSERT_EQ(rgb[1], light);
      ASSERT_EQ(rgb[2], 0);
    }
  }
}

}  // namespace
}  // namespace stoker::test
