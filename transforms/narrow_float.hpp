#pragma once

#include <bit>
#include <cstdint>

namespace stoker {

/// Rounds to the nearest bfloat16, half to even. Not for not-a-number.
inline std::uint16_t bfloat16_bits(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

inline float float_of_bfloat16(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Rounds to the nearest IEEE 754 binary16, half to even, beyond 65504 to infinity. Not for
/// not-a-number.
std::uint16_t float16_bits(float value) noexcept;
float float_of_float16(std::uint16_t bits) noexcept;

}  // namespace stoker
