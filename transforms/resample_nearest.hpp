#pragma once

#include "transforms/resample_axis.hpp"

#include <cstdint>
#include <span>

namespace stoker::resample {

/// Writes the source pixel that each wanted pixel is, less `origin`; `indices` has room for
/// `count`. Source: Pillow, Geometry.c, ImagingScaleAffine (positions are summed up, not
/// multiplied).
void nearest_indices(const Axis& axis, int origin, std::span<std::int32_t> indices);

/// Returns the range that the indices span.
Range nearest_footprint(const Axis& axis);

/// Copies the pixels `columns` of a row. May read and write a byte behind the last pixel.
void gather_pixels(const std::uint8_t* row, std::span<const std::int32_t> columns,
                   std::uint8_t* out);

}  // namespace stoker::resample
