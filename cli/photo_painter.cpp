#include "cli/photo_painter.hpp"

#include "cli/photo_spec.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stoker::cli {
namespace {

// Standard deviations in gray levels, an octave: luma of photographs has about 55 over all octaves.
constexpr float luma_octave = 20;
constexpr float chroma_octave = 7;
// How much the local strength of detail varies; in an octave, as a power of e.
constexpr float roughness_octave = 0.6F;

Shape draw_shape(Random& random, int width, int height) {
  const double size = std::max(width, height);
  const double scale = random.uniform();
  const double along = size * (0.01 + 0.25 * scale * scale);
  const double slope = random.uniform(-1, 1);
  const double larger = 1 / std::sqrt(1 + slope * slope);
  const double smaller = slope * larger;
  const bool upright = random.bernoulli(0.5);
  return {.x = random.uniform(0, width),
          .y = random.uniform(0, height),
          .across = std::max(1.0, along * random.uniform(0.05, 0.9)),
          .along = along,
          .cosine = upright ? smaller : larger,
          .sine = upright ? larger : smaller,
          .luma = static_cast<float>(35 * draw_normal(random)),
          .blue = static_cast<float>(10 * draw_normal(random)),
          .red = static_cast<float>(10 * draw_normal(random)),
          .roughness = static_cast<float>(0.5 * draw_normal(random))};
}

/// Calls `paint(y, first, last)` for each row of the ellipse, columns as real numbers.
// In a row the ellipse's equation is quadratic in the column: a x^2 + b x + c = 0.
template <class Paint>
void for_rows(const Shape& shape, int height, Paint paint) {
  const double p = 1 / (shape.along * shape.along);
  const double q = 1 / (shape.across * shape.across);
  const double a = shape.cosine * shape.cosine * p + shape.sine * shape.sine * q;
  const double mixed = shape.cosine * shape.sine * (p - q);
  const double rest = shape.sine * shape.sine * p + shape.cosine * shape.cosine * q;
  const double reach = std::sqrt(a / (a * rest - mixed * mixed));
  const int top = std::max(0, static_cast<int>(shape.y - reach));
  const int bottom = std::min(height - 1, static_cast<int>(shape.y + reach) + 1);
  for (int y = top; y <= bottom; ++y) {
    const double dy = y - shape.y;
    const double inside = mixed * mixed * dy * dy - a * (rest * dy * dy - 1);
    if (inside <= 0) continue;
    const double middle = shape.x - mixed * dy / a;
    const double half = std::sqrt(inside) / a;
    paint(y, middle - half, middle + half);
  }
}

/// Adds to the columns of a row, in part to those at the ends that are covered in part.
void add_span(Plane& plane, int y, double first, double last, float value) {
  const double edge = plane.width();
  first = std::clamp(first, 0.0, edge);
  last = std::clamp(last, 0.0, edge);
  const int begin = static_cast<int>(first);
  const int end = static_cast<int>(last);
  if (begin >= plane.width()) return;
  float* row = plane.row(y);
  row[begin] -= value * static_cast<float>(first - begin);
  for (int x = begin; x < end; ++x) row[x] += value;
  if (end < plane.width()) row[end] += value * static_cast<float>(last - end);
}

/// Paints a shape into a plane of the picture's size, or of half of it as `doubled` takes it.
void add_shape(Shape shape, float value, Plane& plane, bool half) {
  if (half) {
    for (double* length : {&shape.x, &shape.y, &shape.across, &shape.along}) *length /= 2;
    ++shape.x;
    ++shape.y;
  }
  for_rows(shape, plane.height(),
           [&](int y, double first, double last) { add_span(plane, y, first, last, value); });
}

/// Where detail is strong and where weak, around 1.
Plane paint_roughness(int width, int height, const std::vector<Shape>& shapes, std::uint32_t key) {
  Plane plane = noise_of_octaves(width, height, {0, 0, 0, roughness_octave}, key);
  for (const Shape& shape : shapes) add_shape(shape, shape.roughness, plane, false);
  for (float& value : plane.values()) value = exponential(std::clamp(value, -5.0F, 2.0F));
  return plane;
}

/// Changes contrast and brightness, so that parts of some pictures are flat white or black.
void expose(Plane& plane, Random& random) {
  const float contrast = static_cast<float>(random.uniform(0.8, 1.8));
  const float brightness = static_cast<float>(20 * draw_normal(random));
  for (float& value : plane.values()) value = contrast * value + brightness;
}

void multiply(Plane& plane, const Plane& by) {
  const auto values = plane.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= by.values()[i];
}

void add_multiple(Plane& plane, float factor, const Plane& of) {
  const auto values = plane.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += factor * of.values()[i];
}

std::uint8_t level(float value) noexcept {
  return static_cast<std::uint8_t>(std::clamp(value + 128.5F, 0.0F, 255.0F));
}

}  // namespace

// Chroma is painted at half the resolution: photographs have next to none of its shortest waves.
Painting::Channel Painting::paint_chroma(const std::vector<Shape>& shapes, float Shape::*color,
                                         const Plane& roughness, Random& random) const {
  Plane base =
      noise_of_octaves(halved(width()), halved(height()), {0, 0, 0, chroma_octave}, random.bits());
  for (const Shape& shape : shapes) add_shape(shape, shape.*color, base, true);
  const Plane detail = noise_of_octaves(
      base.width(), base.height(),
      {chroma_octave * 0.5F, chroma_octave * 0.5F, chroma_octave * 0.5F, 0}, random.bits());
  Channel channel{doubled(base, width(), height()), doubled(detail, width(), height())};
  multiply(channel.detail, roughness);
  // Edges and textures of luma show in chroma too, fainter.
  add_multiple(channel.detail, static_cast<float>(random.uniform(-0.1, 0.1)), luma_.detail);
  return channel;
}

Painting::Painting(int width, int height, Random& random) {
  std::vector<Shape> shapes(8 + random.below(40));
  for (Shape& shape : shapes) shape = draw_shape(random, width, height);
  const Plane roughness = paint_roughness(width, height, shapes, random.bits());
  // Sharp photos have more of the shortest waves.
  const float sharpness = static_cast<float>(random.uniform(0.3, 0.9));

  luma_.base = noise_of_octaves(width, height, {0, 0, 0, 0, luma_octave}, random.bits());
  for (const Shape& shape : shapes) add_shape(shape, shape.luma, luma_.base, false);
  expose(luma_.base, random);
  luma_.detail = noise_of_octaves(
      width, height,
      {luma_octave * sharpness * 0.5F, luma_octave * 0.8F, luma_octave, luma_octave, 0},
      random.bits());
  multiply(luma_.detail, roughness);
  blue_ = paint_chroma(shapes, &Shape::blue, roughness, random);
  red_ = paint_chroma(shapes, &Shape::red, roughness, random);
}

void Painting::write_luma(int y, float detail, std::uint8_t* row) const {
  const float* base = luma_.base.row(y);
  const float* fine = luma_.detail.row(y);
  for (int x = 0; x < width(); ++x) row[x] = level(base[x] + detail * fine[x]);
}

void Painting::write_ycbcr(int y, float detail, std::uint8_t* row) const {
  std::uint8_t* at = row;
  for (const Channel* channel : {&luma_, &blue_, &red_}) {
    const float* base = channel->base.row(y);
    const float* fine = channel->detail.row(y);
    for (int x = 0; x < width(); ++x) at[3 * x] = level(base[x] + detail * fine[x]);
    ++at;
  }
}

}  // namespace stoker::cli
