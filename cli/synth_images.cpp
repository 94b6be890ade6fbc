#include "cli/synth_images.hpp"

#include "cli/photo_encoder.hpp"
#include "cli/photo_painter.hpp"

#include <algorithm>

namespace stoker::cli {
namespace {

// What the random numbers of a photo are for.
enum Step : std::uint32_t { outside, painting };

constexpr float least_detail = 0.02F;
constexpr float most_detail = 6;

/// Returns how strong detail must be for the file to take spec.bits_per_pixel, about.
// Two trials: the first from the rule that bits grow about as the root of detail, the second along
// the secant through it and the start.
float fit_detail(const Painting& painting, const PhotoSpec& spec) {
  float detail = 0.5F;
  const double bits = estimate_bits_per_pixel(painting, spec, detail);
  const double ratio = spec.bits_per_pixel / bits;
  float next = std::clamp(detail * static_cast<float>(ratio * ratio), least_detail, most_detail);
  const double next_bits = estimate_bits_per_pixel(painting, spec, next);
  if (next_bits == bits) return next;
  const double slope = static_cast<double>(next - detail) / (next_bits - bits);
  next += static_cast<float>((spec.bits_per_pixel - next_bits) * slope);
  return std::clamp(next, least_detail, most_detail);
}

}  // namespace

PhotoSpec PhotoMaker::spec(std::uint64_t index) const {
  Random random({.seed = seed_, .position = index}, outside);
  return draw_photo_spec(random);
}

std::vector<std::byte> PhotoMaker::make(std::uint64_t index) const {
  PhotoSpec photo = spec(index);
  Random random({.seed = seed_, .position = index}, painting);
  const Painting picture(photo.width, photo.height, random);
  const float detail = fit_detail(picture, photo);
  if (quality_) photo.quality = *quality_;
  return encode(picture, photo, detail);
}

}  // namespace stoker::cli
