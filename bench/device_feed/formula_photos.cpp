#include "bench/device_feed/formula_photos.hpp"

#include "bench/workload.hpp"
#include <stoker/sources/memory_source.hpp>

#include <cstdio>
#include <fmt/format.h>
#include <jpeglib.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <vector>

namespace stoker::bench {
namespace {

constexpr unsigned width = 480;
constexpr unsigned height = 360;
constexpr std::uint64_t photos = 64;

/// Waves of three colours under noise: something in every block's coefficients.
std::vector<std::uint8_t> draw(std::uint64_t number) {
  std::minstd_rand random(static_cast<unsigned>(number) + 1);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(std::size_t{3} * width * height);
  const double slant = 0.01 + 0.001 * static_cast<double>(number);
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      const double noise = static_cast<double>(random() % 49) - 24;
      for (unsigned channel = 0; channel < 3; ++channel) {
        const double wave = std::sin(slant * x + channel) * std::cos(0.02 * y);
        pixels.push_back(static_cast<std::uint8_t>(128 + 90 * wave + noise));
      }
    }
  }
  return pixels;
}

std::vector<std::byte> encode(const std::vector<std::uint8_t>& pixels) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&jpeg, &data, &bytes);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 92, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    const std::size_t at = std::size_t{3} * width * jpeg.next_scanline;
    auto* row = const_cast<JSAMPLE*>(pixels.data() + at);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> encoded(first, first + bytes);
  std::free(data);
  return encoded;
}

}  // namespace

std::shared_ptr<const Source> formula_photos(std::uint64_t size) {
  std::vector<MemorySample> samples;
  for (std::uint64_t i = 0; i < photos; ++i) {
    samples.push_back({fmt::format("photo {}", i), encode(draw(i)), static_cast<std::int64_t>(i)});
  }
  return repeated(std::make_shared<MemorySource>(std::move(samples)), (size + photos - 1) / photos);
}

Pipeline photo_pipeline() {
  return Pipeline::parse(
      "decode | random_resized_crop(224) | random_horizontal_flip | normalize(imagenet) | "
      "to(float16)");
}

}  // namespace stoker::bench
