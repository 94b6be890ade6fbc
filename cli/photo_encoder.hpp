#pragma once

#include "cli/photo_painter.hpp"
#include "cli/photo_spec.hpp"

#include <cstddef>
#include <vector>

namespace stoker::cli {

/// Encodes a painting as a JPEG file through libjpeg-turbo, its detail taken `detail` times, with
/// optimal Huffman tables as most photos on the web have. @throws Error(unsupported) where libjpeg
/// fails.
std::vector<std::byte> encode(const Painting& painting, const PhotoSpec& spec, float detail);

/// Returns about how many bits a pixel `encode` would take, from a quarter of the rows.
double estimate_bits_per_pixel(const Painting& painting, const PhotoSpec& spec, float detail);

}  // namespace stoker::cli
