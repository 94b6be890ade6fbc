#pragma once

#include "transforms/resample_axis.hpp"
#include "transforms/resample_kernels.hpp"
#include "transforms/resample_weights.hpp"
#include <stoker/core/aligned_buffer.hpp>
#include <stoker/core/image.hpp>
#include <stoker/transforms/resample.hpp>

#include <cstddef>
#include <cstdint>

namespace stoker::resample {

/// Pixels of an image of `size`: pixel (0, 0) of `pixels` is its pixel (top, left).
struct Source {
  ImageView pixels;
  int top = 0;
  int left = 0;
  Size size;

  const std::uint8_t* at(int y, int x) const noexcept {
    return pixels.row(y - top) + std::ptrdiff_t{x - left} * ImageView::channels;
  }
};

/// Where finished rows go: into an image, or one after the other to a sink.
struct Destination {
  std::uint8_t* data = nullptr;
  std::size_t stride = 0;
  const RowSink* sink = nullptr;
};

/// Carries out requests that have been found valid, with memory that it keeps.
class Passes {
 public:
  void run(const Source& source, const Resampler::Request& request, Destination destination);
  std::size_t capacity() const noexcept;

 private:
  void run_wide(const Source& source, const Resampler::Request& request, Destination destination);
  void run_tall(const Source& source, const Resampler::Request& request, Destination destination);
  void copy(const Source& source, const Axis& across, const Axis& down, Destination destination);
  void pick(const Source& source, const Axis& across, const Axis& down, Destination destination);
  void filter(const Source& source, const Axis& across, const Axis& down, Destination destination);

  void prepare(const Axis& across, const Axis& down);
  void reserve_ring();
  void fill_quad(const Source& source, const Axis& across, int index);
  std::uint32_t* quad(int index) noexcept;
  /// Gives a destination that has only a sink a row to write to.
  Destination with_row(Destination destination, int width);

  const Kernels* kernels_ = &best_kernels();
  Taps across_;
  Taps down_;
  ColumnWeights column_weights_;
  RowWeights row_weights_;
  bool columns_ready_ = false;  ///< column_weights_ belong to across_
  bool rows_ready_ = false;
  AlignedBuffer ring_;           ///< the last quads, enough for one output row
  AlignedBuffer quads_;          ///< pointers into the ring, in the order of one output row
  std::size_t quad_stride_ = 0;  ///< elements
  AlignedBuffer row_;
  AlignedBuffer indices_;
  Image tall_;
};

}  // namespace stoker::resample
