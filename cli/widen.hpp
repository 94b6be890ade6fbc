#pragma once

#include <cstdint>

namespace stoker::cli {

/// Returns the float32 with the value of an IEEE 754 binary16; exact for all of them.
float widen_float16(std::uint16_t bits) noexcept;
/// Returns the float32 whose upper half is that bfloat16.
float widen_bfloat16(std::uint16_t bits) noexcept;

}  // namespace stoker::cli
