#include "drawn_images.hpp"

#include <stoker/core/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace examples {
namespace {

using stoker::Random;

struct Point {
  double x = 0;
  double y = 0;
};

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

double distance_to_stroke(Point point, Point from, Point to) {
  const double x = to.x - from.x;
  const double y = to.y - from.y;
  const double along = ((point.x - from.x) * x + (point.y - from.y) * y) / (x * x + y * y);
  const double nearest = std::clamp(along, 0.0, 1.0);
  return distance(point, {from.x + nearest * x, from.y + nearest * y});
}

/// A pixel's brightness with noise on it.
std::uint8_t noisy(double brightness, Random& random) {
  return static_cast<std::uint8_t>(std::clamp(brightness + random.uniform(-24, 24), 0.0, 255.0));
}

/// How one image is placed: maps pixels to a square from -1 to 1 around the figure's centre.
struct Placement {
  Point centre;
  double half_size = 1;
  double slant = 0;

  Point operator()(int x, int y) const {
    const double down = (y - centre.y) / half_size;
    return {(x - centre.x) / half_size + slant * down, down};
  }
};

Placement placement(Random& random, double canvas, double smallest, double largest, double slant) {
  Placement result;
  result.half_size = random.uniform(smallest, largest) / 2;
  const double room = canvas / 2 - result.half_size;
  result.centre = {canvas / 2 + random.uniform(-room, room),
                   canvas / 2 + random.uniform(-room, room)};
  result.slant = random.uniform(-slant, slant);
  return result;
}

/// The segments a to g of a display, clockwise from the top, the middle one last.
constexpr std::array<std::array<Point, 2>, 7> segments{{{{{-0.5, -1}, {0.5, -1}}},
                                                        {{{0.5, -1}, {0.5, 0}}},
                                                        {{{0.5, 0}, {0.5, 1}}},
                                                        {{{0.5, 1}, {-0.5, 1}}},
                                                        {{{-0.5, 1}, {-0.5, 0}}},
                                                        {{{-0.5, 0}, {-0.5, -1}}},
                                                        {{{-0.5, 0}, {0.5, 0}}}}};
/// Which segments a digit has, the first one in the lowest bit.
constexpr std::array<unsigned, 10> digits{0x3F, 0x06, 0x5B, 0x4F, 0x66,
                                          0x6D, 0x7D, 0x07, 0x7F, 0x6F};

void draw_digit(std::uint8_t* pixels, unsigned shown, Random& random) {
  const Placement place = placement(random, 28, 13, 20, 0.25);
  const double stroke = random.uniform(0.14, 0.24);
  for (int i = 0; i < 28 * 28; ++i) {
    const Point point = place(i % 28, i / 28);
    double nearest = 2;
    for (std::size_t s = 0; s < segments.size(); ++s) {
      if ((shown >> s & 1U) == 0) continue;
      nearest = std::min(nearest, distance_to_stroke(point, segments[s][0], segments[s][1]));
    }
    pixels[i] = noisy(255 * std::clamp((stroke - nearest) / 0.1 + 1, 0.0, 1.0), random);
  }
}

bool in_square(Point p, double half) { return std::max(std::abs(p.x), std::abs(p.y)) < half; }
bool in_disc(Point p, double radius) { return std::hypot(p.x, p.y) < radius; }
bool in_stripe(double place) { return std::fmod(place + 1, 0.5) < 0.25; }

/// Tells whether a point, from -1 to 1, lies in the shape. Mirrored, a shape is still of its class.
using Shape = bool (*)(Point);
constexpr std::array<Shape, 10> shapes{
    [](Point p) { return in_disc(p, 1); },
    [](Point p) { return in_disc(p, 1) && !in_disc(p, 0.6); },
    [](Point p) { return in_square(p, 0.9); },
    [](Point p) { return in_square(p, 0.9) && !in_square(p, 0.5); },
    [](Point p) { return std::abs(p.x) + std::abs(p.y) < 1; },
    [](Point p) { return in_square(p, 1) && std::min(std::abs(p.x), std::abs(p.y)) < 0.3; },
    [](Point p) { return in_square(p, 1) && in_stripe(p.x); },
    [](Point p) { return in_square(p, 1) && in_stripe(p.y); },
    [](Point p) { return std::abs(p.y) < 0.9 && std::abs(p.x) < (p.y + 0.9) / 1.8; },
    [](Point p) { return in_square(p, 1) && std::abs(std::abs(p.x) - std::abs(p.y)) < 0.25; }};

void draw_shape(std::uint8_t* pixels, Shape shape, Random& random) {
  const Placement place = placement(random, 32, 16, 28, 0);
  const bool bright = random.bernoulli(0.5);
  std::array<double, 3> inside{}, outside{};
  for (std::size_t c = 0; c < 3; ++c) {
    inside[c] = random.uniform(140, 240);
    outside[c] = random.uniform(15, 115);
  }
  if (!bright) std::swap(inside, outside);
  for (int i = 0; i < 32 * 32; ++i) {
    const auto& colour = shape(place(i % 32, i / 32)) ? inside : outside;
    for (std::size_t c = 0; c < 3; ++c) pixels[c * 32 * 32 + i] = noisy(colour[c], random);
  }
}

template <class Figures, class Draw>
LabelledImages draw_all(std::int64_t count, std::uint64_t seed, std::int64_t channels,
                        std::int64_t size, const Figures& figures, Draw draw) {
  LabelledImages data{torch::empty({count, channels, size, size}, torch::kUInt8),
                      torch::arange(count).remainder(std::ssize(figures))};
  auto* pixels = data.images.data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    Random random({.seed = seed, .position = static_cast<std::uint64_t>(i)}, 0);
    const auto figure = static_cast<std::size_t>(i % std::ssize(figures));
    draw(pixels + i * channels * size * size, figures[figure], random);
  }
  return data;
}

}  // namespace

LabelledImages draw_digits(std::int64_t count, std::uint64_t seed) {
  return draw_all(count, seed, 1, 28, digits, draw_digit);
}

LabelledImages draw_shapes(std::int64_t count, std::uint64_t seed) {
  return draw_all(count, seed, 3, 32, shapes, draw_shape);
}

}  // namespace examples
