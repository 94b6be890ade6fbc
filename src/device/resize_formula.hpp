#pragma once

#include <stoker/device/resize_task.hpp>

#include <cstdint>

#ifdef __CUDACC__
#define STOKER_HOST_DEVICE __host__ __device__
#else
#define STOKER_HOST_DEVICE
#endif

// The weights of an antialiased resize, for host and device code. Both are compiled without
// contraction of a * b + c, so that they round as Pillow's do.
// Source: Pillow, src/libImaging/Resample.c, precompute_coeffs and normalize_coeffs_8bpc.
namespace stoker::resize_formula {

/// Bits behind the binary point of a weight.
inline constexpr int weight_bits = 22;

/// How a filter lies over an axis, and where one result lies under it.
struct Placement {
  double center;   ///< of the result, in source pixels
  double inverse;  ///< filter units for each source pixel
  int begin;       ///< first source pixel that it reads
  int count;       ///< source pixels that it reads
};

STOKER_HOST_DEVICE inline Placement place(const ResizeAxis& axis, int index) {
  if (axis.filter == ResizeFilter::none) {
    return {0, 0, static_cast<int>(axis.begin) + axis.first + index, 1};
  }
  const double scale = static_cast<double>(axis.end - axis.begin) / axis.size;
  const double widening = scale < 1.0 ? 1.0 : scale;
  const double support = (axis.filter == ResizeFilter::bicubic ? 2.0 : 1.0) * widening;
  const double center = axis.begin + (axis.first + index + 0.5) * scale;
  const int first = static_cast<int>(center - support + 0.5);
  const int last = static_cast<int>(center + support + 0.5);
  const int begin = first < 0 ? 0 : first;
  const int end = last < axis.source ? last : axis.source;
  return {center, 1.0 / widening, begin, end - begin};
}

STOKER_HOST_DEVICE inline double bilinear(double x) {
  const double distance = x < 0 ? -x : x;
  return distance < 1.0 ? 1.0 - distance : 0.0;
}

/// Keys' cubic convolution with a = -1/2.
STOKER_HOST_DEVICE inline double bicubic(double signed_x) {
  const double x = signed_x < 0 ? -signed_x : signed_x;
  if (x < 1.0) return (1.5 * x - 2.5) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * -0.5;
  return 0.0;
}

/// The weight of a result's source pixel `tap`, before the sum of all is made 1.
STOKER_HOST_DEVICE inline double raw_weight(ResizeFilter filter, const Placement& at, int tap) {
  const double x = (static_cast<double>(tap + at.begin) - at.center + 0.5) * at.inverse;
  return filter == ResizeFilter::bicubic ? bicubic(x) : bilinear(x);
}

STOKER_HOST_DEVICE inline std::int32_t fixed_point(double weight, double sum) {
  const double scaled = weight / (sum == 0.0 ? 1.0 : sum) * (1 << weight_bits);
  return static_cast<std::int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/// Writes a result's weights, `at.count` of them, `step` elements apart.
STOKER_HOST_DEVICE inline void weigh(ResizeFilter filter, const Placement& at,
                                     std::int32_t* weights, int step) {
  if (filter == ResizeFilter::none) {
    weights[0] = 1 << weight_bits;
    return;
  }
  double sum = 0;
  for (int tap = 0; tap < at.count; ++tap) sum += raw_weight(filter, at, tap);
  for (int tap = 0; tap < at.count; ++tap) {
    weights[tap * step] = fixed_point(raw_weight(filter, at, tap), sum);
  }
}

/// A weighted sum, begun at `rounding`, as a byte.
inline constexpr std::int32_t rounding = 1 << (weight_bits - 1);
STOKER_HOST_DEVICE inline std::uint8_t to_byte(std::int32_t sum) {
  const std::int32_t value = sum >> weight_bits;
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

}  // namespace stoker::resize_formula
