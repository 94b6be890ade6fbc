#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stoker::cli {

/// A channel of a picture in the making: rows of floats, in gray levels around 0.
class Plane {
 public:
  Plane() = default;
  /// Values are not set yet.
  Plane(int width, int height)
      : width_(width),
        height_(height),
        values_(std::make_unique_for_overwrite<float[]>(offset(height))) {}

  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }
  float* row(int y) noexcept { return values_.get() + offset(y); }
  const float* row(int y) const noexcept { return values_.get() + offset(y); }
  std::span<float> values() noexcept { return {values_.get(), offset(height_)}; }
  std::span<const float> values() const noexcept { return {values_.get(), offset(height_)}; }

 private:
  std::size_t offset(int y) const noexcept {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
  }

  int width_ = 0;
  int height_ = 0;
  std::unique_ptr<float[]> values_;
};

/// Returns the size along one axis of the plane that `doubled` makes one of `size` from.
constexpr int halved(int size) noexcept { return (size + 1) / 2 + 2; }

/// Returns the plane at twice the resolution, bilinear, cut to width x height. `half` must measure
/// halved(width) x halved(height).
Plane doubled(const Plane& half, int width, int height);

/// Adds white noise of that standard deviation; a pure function of key, row and column.
void add_noise(Plane& plane, float deviation, std::uint32_t key);

/// Returns noise with as much power in each octave of wavelengths as `deviations` says, from one
/// pixel up; above the last the last one goes on until the plane has only a few pixels. Equal
/// powers give the 1/f spectrum of photographs. Source: Field, "Relations between the statistics of
/// natural images and the response properties of cortical cells", JOSA A 4 (1987): amplitude falls
/// as 1/f.
Plane noise_of_octaves(int width, int height, const std::vector<float>& deviations,
                       std::uint32_t key);

/// Returns about e to the power of x, |x| < 8: the same bits on every machine (the mathematics
/// library's are not).
// (e^(x/32))^32, the inner power by its first two terms.
inline float exponential(float x) noexcept {
  float power = x < -32 ? 0 : 1 + x / 32;
  for (int i = 0; i < 5; ++i) power *= power;
  return power;
}

}  // namespace stoker::cli
