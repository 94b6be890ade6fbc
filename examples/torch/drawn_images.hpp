#pragma once

#include "labelled_images.hpp"

#include <cstdint>

namespace examples {

/// Draws the digits 0 to 9 of seven segments each, one after the other: their size, place, slant
/// and stroke differ, and there is noise. Images are [count, 1, 28, 28]; the same for the same
/// seed.
LabelledImages draw_digits(std::int64_t count, std::uint64_t seed);

/// Draws ten shapes, one after the other, in two colours: their colours, size and place differ, and
/// there is noise. Images are [count, 3, 32, 32]; the same for the same seed.
LabelledImages draw_shapes(std::int64_t count, std::uint64_t seed);

}  // namespace examples
