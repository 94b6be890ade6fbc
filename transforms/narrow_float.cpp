#include "transforms/narrow_float.hpp"

#include <cmath>

namespace stoker {
namespace {

constexpr float largest_before_infinity = 65520.0F;  // halfway between 65504 and 65536
constexpr float smallest_normal = 0x1p-14F;
constexpr std::uint16_t infinity = 0x7C00;

}  // namespace

std::uint16_t float16_bits(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float magnitude = std::fabs(value);
  if (magnitude >= largest_before_infinity) return sign | infinity;
  // Below the normal numbers the step is 2^-24, and the count of steps is the encoding.
  if (magnitude < smallest_normal) {
    return static_cast<std::uint16_t>(sign |
                                      static_cast<unsigned>(std::nearbyint(magnitude * 0x1p24F)));
  }
  // Exponent bias 127 becomes 15, and 13 bits of the fraction are rounded away; a carry from the
  // fraction into the exponent is what rounding up to a power of two means.
  const std::uint32_t rebiased = (bits & 0x7FFFFFFFU) - ((127U - 15U) << 23);
  const std::uint32_t rounded = (rebiased + 0xFFFU + ((rebiased >> 13) & 1U)) >> 13;
  return static_cast<std::uint16_t>(sign | rounded);
}

float float_of_float16(std::uint16_t bits) noexcept {
  const int exponent = (bits >> 10) & 0x1F;
  const auto fraction = static_cast<float>(bits & 0x3FF);
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * fraction * 0x1p-24F;
  if (exponent == 0x1F) return sign * INFINITY;
  return sign * std::ldexp(1024.0F + fraction, exponent - 25);
}

}  // namespace stoker
