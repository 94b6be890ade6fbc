#pragma once

#include "transforms/resample_axis.hpp"
#include <stoker/core/aligned_buffer.hpp>

#include <cstddef>
#include <cstdint>

namespace stoker::resample {

/// Bits behind the binary point of a weight. Source: Pillow, Resample.c (32 - 8 - 2).
inline constexpr int weight_bits = 22;
/// Kernels take this many taps of an output at once.
inline constexpr int taps_per_chunk = 4;

/// Which source pixels each wanted pixel of an axis reads, and with which weights: arrays with one
/// element for each output, as vectors want them.
class Taps {
 public:
  /// Computes them, unless the axis is the same as last time: then returns false.
  /// @throws std::bad_alloc
  bool prepare(const Axis& axis);

  int count() const noexcept { return axis_.count; }
  /// Groups of four taps that the output with the most taps needs.
  int chunks() const noexcept { return chunks_; }
  /// Taps of the output with the most.
  int most() const noexcept { return most_; }
  /// The source pixels that all outputs together read.
  Range range() const noexcept;

  /// First source pixel of each output; behind count() the last output's again.
  const std::int32_t* start() const noexcept { return bounds(); }
  /// How many source pixels each output reads.
  const std::int32_t* sizes() const noexcept { return bounds() + stride_; }
  /// Weights of tap `tap` < 4 * chunks(); 0 where an output has no such tap.
  const std::int32_t* weights(int tap) const noexcept;
  /// Elements of each array: count() and at least `slack` more.
  std::size_t stride() const noexcept { return stride_; }
  static constexpr std::size_t slack = 16;

  std::size_t capacity() const noexcept;

 private:
  const std::int32_t* bounds() const noexcept {
    return reinterpret_cast<const std::int32_t*>(bounds_.data());
  }
  void move(const Axis& axis);
  void filter(const Axis& axis);
  void reserve_weights(int taps);

  Axis axis_;
  int most_ = 0;
  int chunks_ = 0;
  std::size_t stride_ = 0;
  AlignedBuffer bounds_;
  AlignedBuffer weights_;
  AlignedBuffer scratch_;
};

}  // namespace stoker::resample
