#include "cli/widen.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace stoker::cli {

float widen_float16(std::uint16_t bits) noexcept {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float widen_bfloat16(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace stoker::cli
