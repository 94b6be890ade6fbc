#include "transforms/resample_scalar.hpp"

#include <algorithm>
#include <cstring>

namespace stoker::resample {
namespace {

void pack_rows(const Taps& taps, RowWeights& weights) {
  weights.chunks = taps.chunks();
  weights.planes = taps_per_chunk;
  weights.stride = taps.stride();
  const std::size_t bytes = static_cast<std::size_t>(weights.chunks * taps_per_chunk) *
                            weights.stride * sizeof(std::uint32_t);
  weights.buffer.reserve(bytes);
  std::memcpy(weights.buffer.data(), taps.weights(0), bytes);
}

void pack_columns(const Taps& taps, ColumnWeights& columns) {
  pack_rows(taps, columns.packed);
  columns.groups = taps.count();
  columns.last_offset = (taps.range().size() - 1) * ImageView::channels;
  columns.offsets.reserve(static_cast<std::size_t>(columns.groups) * sizeof(std::int32_t));
  auto* const offsets = reinterpret_cast<std::int32_t*>(columns.offsets.data());
  for (int i = 0; i < columns.groups; ++i) {
    offsets[i] = (taps.start()[i] - taps.range().begin) * ImageView::channels;
  }
}

std::uint32_t to_pixel(std::uint32_t sum) {
  const std::int32_t rounded = static_cast<std::int32_t>(sum) >> weight_bits;
  return static_cast<std::uint32_t>(std::clamp(rounded, 0, 255));
}

constexpr std::uint32_t rounding = 1u << (weight_bits - 1);

void filter_columns(const std::uint8_t* const* rows, const ColumnWeights& columns,
                    std::uint32_t* quad) {
  const auto* const offsets = reinterpret_cast<const std::int32_t*>(columns.offsets.data());
  const int taps = columns.packed.chunks * taps_per_chunk;
  for (int i = 0; i < columns.groups * ImageView::channels; ++i) {
    const int pixel = i / ImageView::channels, channel = i % ImageView::channels;
    std::uint32_t sums[rows_per_quad] = {rounding, rounding, rounding, rounding};
    for (int tap = 0; tap < taps; ++tap) {
      const std::uint32_t weight =
          columns.packed.at(pixel)[static_cast<std::size_t>(tap) * columns.packed.stride];
      const int at = std::min(offsets[pixel] + tap * ImageView::channels, columns.last_offset);
      for (int row = 0; row < rows_per_quad; ++row) sums[row] += weight * rows[row][at + channel];
    }
    quad[i] = to_pixel(sums[0]) | to_pixel(sums[1]) << 8 | to_pixel(sums[2]) << 16 |
              to_pixel(sums[3]) << 24;
  }
}

void interleave(const std::uint8_t* const* rows, int bytes, std::uint32_t* quad) {
  for (int i = 0; i < bytes; ++i) {
    quad[i] = rows[0][i] | std::uint32_t{rows[1][i]} << 8 | std::uint32_t{rows[2][i]} << 16 |
              std::uint32_t{rows[3][i]} << 24;
  }
}

void filter_rows(const RowFilter& filter, int bytes, std::uint8_t* row) {
  const std::uint32_t* const weights = filter.weights->at(filter.output);
  for (int i = 0; i < bytes; ++i) {
    std::uint32_t sum = rounding;
    for (int tap = 0; tap < filter.taps; ++tap) {
      const int place = filter.phase + tap;
      const std::uint32_t four = filter.quads[place / rows_per_quad][i];
      sum += weights[static_cast<std::size_t>(tap) * filter.weights->stride] *
             (four >> (8 * (place % rows_per_quad)) & 0xff);
    }
    row[i] = static_cast<std::uint8_t>(to_pixel(sum));
  }
}

}  // namespace

const Kernels& scalar_kernels() {
  static constexpr Kernels kernels{pack_rows, pack_columns, filter_columns, interleave,
                                   filter_rows};
  return kernels;
}

}  // namespace stoker::resample
