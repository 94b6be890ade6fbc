#pragma once

#include <stoker/transforms/resample.hpp>

namespace stoker::resample {

/// One axis of a resize: source pixels [begin, end) of `source` become `size` pixels, of which
/// `count` from `first` on are wanted. Single precision is what Pillow keeps of a box.
struct Axis {
  int source = 0;
  float begin = 0;
  float end = 0;
  int size = 0;
  int first = 0;
  int count = 0;
  Interpolation interpolation = Interpolation::bilinear;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Pixels [begin, end) of an axis.
struct Range {
  int begin = 0;
  int end = 0;
  int size() const noexcept { return end - begin; }
};

/// How a filter lies over an axis. Source: Pillow, Resample.c, precompute_coeffs.
struct Stretch {
  double scale;    ///< source pixels for each output pixel
  double support;  ///< half the filter's width in source pixels
  double inverse;  ///< filter units for each source pixel
};

Axis horizontal_axis(Size source, const Resampler::Request& request);
Axis vertical_axis(Size source, const Resampler::Request& request);

Stretch stretch(const Axis& axis);

/// True for images more than a hundred times taller than wide, which are resized vertically first.
/// Source: Pillow 12, Image.resize.
bool vertical_first(Size source, Size target);

/// True where each wanted pixel is a source pixel as it is, so that the axis needs no filter.
bool only_moves(const Axis& axis);

/// Returns the source pixels that output pixel `first + index` reads through the filter.
Range taps_of(const Axis& axis, const Stretch& stretch, int index);

/// Returns the source pixels that all wanted pixels together read, whatever the interpolation.
Range footprint(const Axis& axis);

}  // namespace stoker::resample
