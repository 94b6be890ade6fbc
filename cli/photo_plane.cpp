#include "cli/photo_plane.hpp"

#include <algorithm>

namespace stoker::cli {
namespace {

// The finaliser of MurmurHash3: any change of the input changes every bit of the output.
// Source: Appleby, MurmurHash3 (public domain), fmix32.
std::uint32_t mixed(std::uint32_t x) noexcept {
  x = (x ^ x >> 16) * 0x85EBCA6BU;
  x = (x ^ x >> 13) * 0xC2B2AE35U;
  return x ^ x >> 16;
}

// The sum of the four bytes of a hash, less its mean: nearly normal.
constexpr float mean_of_bytes = 4 * 127.5F;
constexpr float deviation_of_bytes = 147.8F;  // sqrt(4 * (256^2 - 1) / 12)

float sum_of_bytes(std::uint32_t x) noexcept {
  const std::uint32_t pairs = (x & 0x00FF00FFU) + (x >> 8 & 0x00FF00FFU);
  return static_cast<float>(static_cast<int>((pairs & 0xFFFFU) + (pairs >> 16)));
}

// A row of `half` at twice the resolution is 3/4 of the nearer and 1/4 of the farther row.
void mix_rows(const Plane& half, int y, std::vector<float>& mixed_row) {
  const int near = y / 2 + 1;
  const float* a = half.row(near);
  const float* b = half.row(y % 2 == 0 ? near - 1 : near + 1);
  for (std::size_t x = 0; x < mixed_row.size(); ++x) mixed_row[x] = 0.75F * a[x] + 0.25F * b[x];
}

void double_row(const std::vector<float>& half, float* row, int width) {
  for (int x = 0; x < width / 2; ++x) {
    const float* at = half.data() + x;
    row[2 * x] = 0.25F * at[0] + 0.75F * at[1];
    row[2 * x + 1] = 0.75F * at[1] + 0.25F * at[2];
  }
  if (width % 2 != 0) {
    const float* at = half.data() + width / 2;
    row[width - 1] = 0.25F * at[0] + 0.75F * at[1];
  }
}

}  // namespace

Plane doubled(const Plane& half, int width, int height) {
  Plane plane(width, height);
  std::vector<float> mixed_row(static_cast<std::size_t>(half.width()));
  for (int y = 0; y < height; ++y) {
    mix_rows(half, y, mixed_row);
    double_row(mixed_row, plane.row(y), width);
  }
  return plane;
}

void add_noise(Plane& plane, float deviation, std::uint32_t key) {
  const float scale = deviation / deviation_of_bytes;
  for (int y = 0; y < plane.height(); ++y) {
    const std::uint32_t row_key = mixed(key ^ mixed(static_cast<std::uint32_t>(y) + 1));
    float* row = plane.row(y);
    for (int x = 0; x < plane.width(); ++x) {
      const std::uint32_t bits = mixed(row_key + static_cast<std::uint32_t>(x) * 0x9E3779B9U);
      row[x] += scale * (sum_of_bytes(bits) - mean_of_bytes);
    }
  }
}

Plane noise_of_octaves(int width, int height, const std::vector<float>& deviations,
                       std::uint32_t key) {
  constexpr int smallest = 8;  // halving goes on to 4, where it stays
  const float deviation = deviations.empty() ? 0 : deviations.front();
  if (std::max(width, height) <= smallest) {
    Plane plane(width, height);
    std::ranges::fill(plane.values(), 0.0F);
    add_noise(plane, deviation, key);
    return plane;
  }
  const bool last = deviations.size() <= 1;
  const std::vector<float> coarser(deviations.begin() + (last ? 0 : 1), deviations.end());
  Plane plane =
      doubled(noise_of_octaves(halved(width), halved(height), coarser, key + 1), width, height);
  if (deviation != 0) add_noise(plane, deviation, key);
  return plane;
}

}  // namespace stoker::cli
