#include "tests/device/random_resizes.hpp"

#include "transforms/resample_axis.hpp"

#include <algorithm>
#include <cmath>

namespace stoker::testing {
namespace {

using resample::Axis;

ResizeAxis axis_for_device(const Axis& axis, int held) {
  const ResizeFilter filter = resample::only_moves(axis) ? ResizeFilter::none
                              : axis.interpolation == Interpolation::bilinear
                                  ? ResizeFilter::bilinear
                                  : ResizeFilter::bicubic;
  return {axis.source, held, axis.begin, axis.end, axis.size, axis.first, filter};
}

int taps_of(const Axis& axis) {
  if (resample::only_moves(axis)) return 1;
  int most = 0;
  for (int i = 0; i < axis.count; ++i) {
    most = std::max(most, resample::taps_of(axis, resample::stretch(axis), i).size());
  }
  return most;
}

}  // namespace

ResizeCrop CropCase::crop() const {
  if (stride == 0) return {};
  return {offset, static_cast<std::uint32_t>(stride), flip ? std::uint8_t{1} : std::uint8_t{0},
          axis_for_device(resample::horizontal_axis(source, request), held.left),
          axis_for_device(resample::vertical_axis(source, request), held.top)};
}

int CropCase::taps() const {
  return std::max(taps_of(resample::horizontal_axis(source, request)),
                  taps_of(resample::vertical_axis(source, request)));
}

std::size_t ResizeCase::out_bytes() const {
  return std::size_t{3} * shape.count * shape.height * shape.width * shape.element_bytes;
}

ResizeTask ResizeCase::task(std::byte* out) const {
  return {{tables.data(), out, shape.count, shape.height, shape.width, shape.element_bytes,
           shape.planar},
          pixels.data(),
          crops.data()};
}

ResizeCase RandomResizes::next(const ResizeShape& shape) {
  ResizeCase made;
  made.shape = shape;
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    CropCase crop = crop_of(shape);
    if (crop.stride != 0) {
      crop.offset = bytes + static_cast<std::size_t>(below(100));
      bytes = crop.offset + crop.stride * static_cast<std::size_t>(crop.held.height);
    }
    made.cases.push_back(crop);
    made.crops.push_back(crop.crop());
  }
  made.pixels.resize(bytes);
  for (std::uint8_t& value : made.pixels) value = static_cast<std::uint8_t>(random_());
  made.tables.resize(std::size_t{3} * 256 * shape.element_bytes);
  for (std::byte& value : made.tables) value = static_cast<std::byte>(random_());
  return made;
}

CropCase RandomResizes::crop_of(const ResizeShape& shape) {
  if (below(12) == 0) return {};
  CropCase made;
  do {
    const bool cubic = below(2) == 0;
    const double largest_scale = ResizeTask::max_taps / (cubic ? 4.0 : 2.0);
    const auto height = static_cast<int>(shape.height), width = static_cast<int>(shape.width);
    const Side across = side(width, largest_scale), down = side(height, largest_scale);
    made.source = {down.source, across.source};
    made.request = {{across.begin, down.begin, across.end, down.end},
                    {down.size, across.size},
                    {down.first, across.first, height, width},
                    cubic ? Interpolation::bicubic : Interpolation::bilinear};
  } while (made.taps() > ResizeTask::max_taps ||
           resample::vertical_first(made.source, made.request.size));
  made.held = held_around(Resampler::footprint(made.source, made.request), made.source);
  made.stride = static_cast<std::size_t>(made.held.width * 3 + below(2) * below(40));
  made.flip = below(2) == 0;
  return made;
}

RandomResizes::Side RandomResizes::side(int window, double largest_scale) {
  const int size = window + below(2) * below(12);
  const int first = below(size - window + 1);
  const int kind = below(5);
  if (kind == 0) {  // moved only
    const int begin = below(9);
    return {begin + size + below(9), size, first, static_cast<float>(begin),
            static_cast<float>(begin + size)};
  }
  const double scale = kind == 1   ? between(0.05, 1)
                       : kind == 2 ? largest_scale - between(0, 0.6)
                                   : between(1, largest_scale);
  if (kind == 3) {  // the whole source
    const int source = std::max(1, static_cast<int>(size * scale));
    return {source, size, first, 0, static_cast<float>(source)};
  }
  const auto begin = static_cast<float>(between(0, 30));
  const auto end = static_cast<float>(begin + size * scale);
  return {static_cast<int>(std::ceil(end)) + below(2) * below(60), size, first, begin, end};
}

/// What is read and some more, as a decoder's blocks give.
Rect RandomResizes::held_around(const Rect& footprint, Size source) {
  const int top = std::max(0, footprint.top - below(4)),
            left = std::max(0, footprint.left - below(20));
  const int bottom = std::min(source.height, footprint.bottom() + below(4)),
            right = std::min(source.width, footprint.right() + below(20));
  return {top, left, bottom - top, right - left};
}

}  // namespace stoker::testing
