#include "src/device/finish_on_host.hpp"

#include <cstring>

namespace stoker {
namespace {

void finish_pixel(const FinishTask& task, std::size_t image, std::size_t y, std::size_t x) {
  const std::size_t height = task.height, width = task.width, bytes = task.element_bytes;
  const ImageState state = task.states[image];
  const std::size_t from_x = state == ImageState::mirrored ? width - 1 - x : x;
  const std::uint8_t* pixel = task.pixels + ((image * height + y) * width + from_x) * 3;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t place = task.planar ? ((image * 3 + c) * height + y) * width + x
                                          : ((image * height + y) * width + x) * 3 + c;
    std::byte* const to = task.out + place * bytes;
    if (state == ImageState::absent) {
      std::memset(to, 0, bytes);
    } else {
      std::memcpy(to, task.tables + (c * 256 + pixel[c]) * bytes, bytes);
    }
  }
}

}  // namespace

void finish_on_host(const FinishTask& task) {
  for (std::size_t image = 0; image < task.count; ++image) {
    for (std::size_t y = 0; y < task.height; ++y) {
      for (std::size_t x = 0; x < task.width; ++x) finish_pixel(task, image, y, x);
    }
  }
}

}  // namespace stoker
