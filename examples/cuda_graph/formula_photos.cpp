#include "formula_photos.hpp"

// jpeglib.h needs stdio's FILE and size_t.
#include <cstdio>

#include <jpeglib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr unsigned width = 120;
constexpr unsigned height = 90;
constexpr std::array<std::array<double, 3>, formula_classes> colours{
    {{150, 110, 110}, {110, 150, 110}, {110, 110, 150}, {140, 140, 90}}};

std::vector<std::uint8_t> draw(std::size_t number) {
  std::minstd_rand random(static_cast<unsigned>(number) + 1);
  const std::array<double, 3>& colour = colours[number % formula_classes];
  const double slant = 0.05 + 0.2 * static_cast<double>(random() % 1000) / 1000;
  std::vector<std::uint8_t> pixels;
  pixels.reserve(std::size_t{3} * width * height);
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      const double wave = 40 * std::sin(slant * x) * std::cos(0.1 * y);
      for (const double part : colour) {
        const double noise = static_cast<double>(random() % 49) - 24;
        pixels.push_back(static_cast<std::uint8_t>(part + wave + noise));
      }
    }
  }
  return pixels;
}

std::vector<std::byte> encode(std::vector<std::uint8_t> pixels) {
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
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < height) {
    JSAMPROW row = pixels.data() + std::size_t{3} * width * jpeg.next_scanline;
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

std::unique_ptr<stoker::Source> formula_photos(std::size_t count) {
  std::vector<stoker::MemorySample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back({"photo " + std::to_string(i), encode(draw(i)),
                       static_cast<std::int64_t>(i % formula_classes)});
  }
  return std::make_unique<stoker::MemorySource>(std::move(samples));
}
