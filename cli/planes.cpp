#include "cli/planes.hpp"

#include "cli/widen.hpp"
#include <stoker/core/error.hpp>

#include <cstring>

namespace stoker::cli {
namespace {

constexpr std::size_t channels = 3;

std::size_t pixels(const PlanOutput& output) {
  return static_cast<std::size_t>(output.size.height) * static_cast<std::size_t>(output.size.width);
}

/// Where a pixel's channel stands among the elements.
std::size_t place(const PlanOutput& output, std::size_t pixel, std::size_t channel) {
  return output.layout == Layout::NHWC ? pixel * channels + channel
                                       : channel * pixels(output) + pixel;
}

template <class T>
T element(const PlanOutput& output, std::size_t i) {
  T value;
  std::memcpy(&value, output.data.data() + i * sizeof(T), sizeof(T));
  return value;
}

float widened(const PlanOutput& output, std::size_t i) {
  switch (output.dtype) {
    case DType::float16: return widen_float16(element<std::uint16_t>(output, i));
    case DType::bfloat16: return widen_bfloat16(element<std::uint16_t>(output, i));
    case DType::float32: return element<float>(output, i);
    default: throw Error(ErrorCode::unsupported, "only uint8 and float results can be written");
  }
}

}  // namespace

std::vector<std::uint8_t> interleaved(const PlanOutput& output) {
  std::vector<std::uint8_t> out;
  out.reserve(pixels(output) * channels);
  for (std::size_t pixel = 0; pixel < pixels(output); ++pixel) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      out.push_back(element<std::uint8_t>(output, place(output, pixel, channel)));
    }
  }
  return out;
}

std::vector<float> float_planes(const PlanOutput& output) {
  std::vector<float> out;
  out.reserve(pixels(output) * channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t pixel = 0; pixel < pixels(output); ++pixel) {
      out.push_back(widened(output, place(output, pixel, channel)));
    }
  }
  return out;
}

}  // namespace stoker::cli
