#include "decoders/cmyk.hpp"

namespace stoker {
namespace {

/// `a * b / 255`, rounded; exact for 8-bit factors.
/// Source: J. Blinn, "Three Wrongs Make a Right", IEEE CG&A 15(6), 1995.
std::uint32_t scaled(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t product = a * b + 128;
  return (product + (product >> 8)) >> 8;
}

}  // namespace

void inverted_cmyk_to_rgb(const std::uint8_t* cmyk, std::size_t pixels, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint32_t light = cmyk[4 * i + 3];
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const std::uint32_t ink = 255u - cmyk[4 * i + channel];
      rgb[3 * i + channel] = static_cast<std::uint8_t>(light - scaled(ink, light));
    }
  }
}

}  // namespace stoker
