#include "tests/transforms/formula_image.hpp"

#include <fmt/format.h>

#include <cstring>

namespace stoker::testing {
namespace {

std::uint32_t mixed(std::uint32_t index, std::uint32_t seed) {
  std::uint32_t value = index * 2654435761u + seed * 40503u;
  value ^= value >> 15;
  value *= 2246822519u;
  return value ^ value >> 13;
}

std::uint32_t formula(std::uint32_t seed, std::uint32_t noise, std::uint32_t y, std::uint32_t x,
                      std::uint32_t channel) {
  if (seed % 3 == 0) return noise >> 24;
  if (seed % 3 == 1) return (noise >> 31) * 255;
  return x * 3 + y * 2 + channel * 40 + (noise >> 29);
}

}  // namespace

Image formula_image(std::uint32_t seed, Size size) {
  Image image(size);
  const auto height = static_cast<std::uint32_t>(size.height);
  const auto width = static_cast<std::uint32_t>(size.width);
  std::uint32_t index = 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (std::uint32_t channel = 0; channel < Image::channels; ++channel, ++index) {
        image.data()[index] =
            static_cast<std::uint8_t>(formula(seed, mixed(index, seed), y, x, channel));
      }
    }
  }
  return image;
}

std::string digest(const Image& image) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < image.bytes(); ++i)
    value = (value ^ image.data()[i]) * 0x100000001b3u;
  return fmt::format("{:016x}", value);
}

Image cut(const Image& image, const Rect& rect) {
  Image part(rect.size());
  const ImageView view = image.view().window(rect);
  for (int y = 0; y < rect.height; ++y) std::memcpy(part.row(y), view.row(y), part.stride());
  return part;
}

bool same_pixels(const Image& a, const Image& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

}  // namespace stoker::testing
