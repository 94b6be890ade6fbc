#include "tests/transforms/eager_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace stoker::testing {
namespace {

std::string rect_text(const Rect& rect) {
  return fmt::format("[{}, {}] {}x{}", rect.top, rect.left, rect.height, rect.width);
}

Image cut(const Image& from, const Rect& rect, std::uint8_t fill) {
  Image to(rect.size());
  for (int y = 0; y < rect.height; ++y) {
    for (int x = 0; x < rect.width; ++x) {
      const Rect pixel{rect.top + y, rect.left + x, 1, 1};
      for (int c = 0; c < Image::channels; ++c) {
        to.row(y)[3 * x + c] =
            pixel.inside(from.size()) ? from.row(pixel.top)[3 * pixel.left + c] : fill;
      }
    }
  }
  return to;
}

}  // namespace

Status EagerCanvas::crop(const Rect& rect) {
  calls_.push_back("crop " + rect_text(rect));
  if (!rect.inside(size()))
    return fail(ErrorCode::crop_out_of_bounds, "the canvas was asked for it");
  image_ = cut(image_, rect, 0);
  return {};
}

Status EagerCanvas::crop_padded(const Rect& rect, std::uint8_t fill) {
  calls_.push_back(fmt::format("pad {} {}", fill, rect_text(rect)));
  image_ = cut(image_, rect, fill);
  return {};
}

Status EagerCanvas::resize(Size size, Interpolation interpolation) {
  calls_.push_back(fmt::format("resize {}x{} {}", size.height, size.width, name(interpolation)));
  Image resized;
  const Box whole{0, 0, static_cast<double>(image_.size().width),
                  static_cast<double>(image_.size().height)};
  Resampler().run(image_.view(), {whole, size, {0, 0, size.height, size.width}, interpolation},
                  resized);
  image_ = std::move(resized);
  return {};
}

Status EagerCanvas::flip_horizontally() {
  calls_.emplace_back("flip");
  Image mirrored(size());
  for (int y = 0; y < size().height; ++y) {
    for (int x = 0; x < size().width; ++x) {
      std::copy_n(image_.row(y) + 3 * (size().width - 1 - x), 3, mirrored.row(y) + 3 * x);
    }
  }
  image_ = std::move(mirrored);
  return {};
}

Image chart(Size size) {
  Image image(size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      image.row(y)[3 * x] = static_cast<std::uint8_t>(y + 1);
      image.row(y)[3 * x + 1] = static_cast<std::uint8_t>(x + 1);
      image.row(y)[3 * x + 2] = static_cast<std::uint8_t>(y * 31 + x * 17 + 1);
    }
  }
  return image;
}

Image noise(Size size, std::uint64_t seed) {
  Image image(size);
  Random random({.seed = seed}, 0);
  std::generate_n(image.data(), image.bytes(),
                  [&] { return static_cast<std::uint8_t>(random.bits()); });
  return image;
}

EagerCanvas applied(const Step& step, Image image, std::uint64_t seed) {
  EagerCanvas canvas(std::move(image));
  Random random({.seed = seed}, 1);
  if (const Status status = as_transform(step).apply(canvas, random); !status) {
    throw std::runtime_error(status.error().message);
  }
  return canvas;
}

Failure failure_of(const Step& step, Size size) {
  EagerCanvas canvas(chart(size));
  Random random({.seed = 1}, 1);
  const Status status = as_transform(step).apply(canvas, random);
  if (status) throw std::logic_error("no failure of " + step->text());
  return status.error();
}

std::vector<std::uint8_t> pixels_of(const Image& image) {
  return {image.data(), image.data() + image.bytes()};
}

const Transform& as_transform(const Step& step) { return dynamic_cast<const Transform&>(*step); }

}  // namespace stoker::testing
