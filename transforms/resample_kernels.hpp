#pragma once

#include "transforms/resample_weights.hpp"
#include <stoker/core/aligned_buffer.hpp>

#include <cstddef>
#include <cstdint>

namespace stoker::resample {

/// Rows that a kernel takes at once. Between the passes four rows lie in one array, a `quad`: its
/// element i holds byte i of each of the four rows, the first in the lowest bits.
inline constexpr int rows_per_quad = 4;
/// Elements behind a row's last byte that kernels may read or write in a quad.
inline constexpr std::size_t quad_slack = 128;

/// Weights as a CPU's kernels multiply them: `planes` numbers for each chunk of four taps.
/// Element (chunk, plane, output) is at [(chunk * planes + plane) * stride + output].
struct RowWeights {
  AlignedBuffer buffer;
  int chunks = 0;
  int planes = 0;
  std::size_t stride = 0;
  const std::uint32_t* at(int output) const noexcept {
    return reinterpret_cast<const std::uint32_t*>(buffer.data()) + output;
  }
};

/// Weights and places of the horizontal pass, laid out vector by vector of outputs ("group").
/// Places are in bytes from the first source pixel that any output reads.
struct ColumnWeights {
  RowWeights packed;
  AlignedBuffer weights;   ///< [group][chunk][plane][lane]
  AlignedBuffer shuffles;  ///< [group][byte], only where `dense`
  AlignedBuffer offsets;   ///< of a group (dense) or of each output pixel
  bool dense = false;      ///< a group's bytes for one tap of all its outputs lie in one vector
  int groups = 0;
  int last_offset = 0;  ///< of the last source pixel that is read
  std::size_t capacity() const noexcept {
    return packed.buffer.capacity() + weights.capacity() + shuffles.capacity() + offsets.capacity();
  }
};

/// What the vertical pass needs for one output row.
struct RowFilter {
  const std::uint32_t* const* quads = nullptr;  ///< chunks + 1; the last may hold anything if no
                                                ///< tap lies there
  int phase = 0;                                ///< place of the first tap in the first quad
  int taps = 0;
  const RowWeights* weights = nullptr;
  int output = 0;  ///< which weights
};

/// The functions that do the work, for one kind of CPU. All give the same bits; the layout of
/// weights is private to each set.
struct Kernels {
  void (*pack_rows)(const Taps& taps, RowWeights& weights);
  void (*pack_columns)(const Taps& taps, ColumnWeights& weights);
  /// Filters four rows horizontally into a quad. Reads up to Image::padding bytes behind the last
  /// source pixel.
  void (*filter_columns)(const std::uint8_t* const* rows, const ColumnWeights& weights,
                         std::uint32_t* quad);
  /// Puts `bytes` bytes of four rows into a quad as they are; reads as filter_columns.
  void (*interleave)(const std::uint8_t* const* rows, int bytes, std::uint32_t* quad);
  /// Filters quads vertically into a row of `bytes` bytes. Writes up to Image::padding bytes more.
  void (*filter_rows)(const RowFilter& filter, int bytes, std::uint8_t* row);
};

/// Returns the kernels for this CPU.
const Kernels& best_kernels();

}  // namespace stoker::resample
