#include "src/device/resize_on_host.hpp"

#include "src/device/resize_formula.hpp"

#include <cstring>
#include <vector>

// This file is compiled without contraction of a * b + c: the weights must round as Pillow's do.
namespace stoker {
namespace {

using resize_formula::Placement;

/// What the results of an axis read.
struct Axis {
  struct Result {
    Placement at;
    std::vector<std::int32_t> weights;
  };

  Axis(const ResizeAxis& axis, std::uint32_t count) : held(axis.held) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Result result{resize_formula::place(axis, static_cast<int>(i)), {}};
      result.weights.resize(static_cast<std::size_t>(result.at.count));
      resize_formula::weigh(axis.filter, result.at, result.weights.data(), 1);
      results.push_back(std::move(result));
    }
  }

  int held;
  std::vector<Result> results;
};

std::uint8_t filter_row(const std::uint8_t* row, const Axis& across, std::size_t x, std::size_t c) {
  const Axis::Result& result = across.results[x];
  std::int32_t sum = resize_formula::rounding;
  for (std::size_t tap = 0; tap < result.weights.size(); ++tap) {
    const auto pixel = static_cast<std::size_t>(result.at.begin - across.held) + tap;
    sum += result.weights[tap] * row[pixel * 3 + c];
  }
  return resize_formula::to_byte(sum);
}

std::uint8_t filter(const std::uint8_t* pixels, std::size_t stride, const Axis& across,
                    const Axis& down, std::size_t y, std::size_t x, std::size_t c) {
  const Axis::Result& result = down.results[y];
  std::int32_t sum = resize_formula::rounding;
  for (std::size_t tap = 0; tap < result.weights.size(); ++tap) {
    const auto row = static_cast<std::size_t>(result.at.begin - down.held) + tap;
    sum += result.weights[tap] * filter_row(pixels + row * stride, across, x, c);
  }
  return resize_formula::to_byte(sum);
}

void resize_image(const ResizeTask& task, std::size_t image) {
  const std::size_t height = task.height, width = task.width, bytes = task.element_bytes;
  std::byte* const out = task.out + image * 3 * height * width * bytes;
  const ResizeCrop& crop = task.crops[image];
  if (crop.stride == 0) {
    std::memset(out, 0, 3 * height * width * bytes);
    return;
  }
  const Axis across(crop.across, task.width), down(crop.down, task.height);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t to = crop.flip != 0 ? width - 1 - x : x;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t value =
            filter(task.pixels + crop.offset, crop.stride, across, down, y, x, c);
        const std::size_t place =
            task.planar ? (c * height + y) * width + to : (y * width + to) * 3 + c;
        std::memcpy(out + place * bytes, task.tables + (c * 256 + value) * bytes, bytes);
      }
    }
  }
}

}  // namespace

void resize_on_host(const ResizeTask& task) {
  for (std::size_t image = 0; image < task.count; ++image) resize_image(task, image);
}

}  // namespace stoker
