#pragma once

#include <stoker/core/image.hpp>

#include <cstdint>
#include <string>

namespace stoker::testing {

/// Noise, noise of the two extremes, or a slope with some noise, by `seed` modulo 3; the same as
/// scripts/make_resample_goldens.py makes.
Image formula_image(std::uint32_t seed, Size size);

/// 64-bit FNV-1a of the pixels, in 16 hexadecimal digits. Source: RFC 9923.
std::string digest(const Image& image);

/// The pixels of `rect` as an image of their own.
Image cut(const Image& image, const Rect& rect);

bool same_pixels(const Image& a, const Image& b);

}  // namespace stoker::testing
