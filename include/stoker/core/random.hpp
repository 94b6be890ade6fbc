#pragma once

#include <array>
#include <cstdint>

namespace stoker {

/// Philox4x32-10: maps a 128-bit counter and a 64-bit key to four uniform 32-bit numbers.
/// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011; the constants and
/// the known answers that the tests use are those of the authors' Random123 library.
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) noexcept;

/// What one sample's random numbers depend on, and nothing else: not on threads, batch size,
/// prefetch or world size.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;     ///< 28 bits are used
  std::uint64_t position = 0;  ///< place in the epoch's global order; 48 bits are used
  std::uint32_t attempt = 0;   ///< 0, or which replacement of a failed sample; 4 bits are used
};

/// Draws the random numbers of one step of one sample, counted and not streamed: the same key and
/// step give the same numbers in the same order. Key = seed; the counter holds draw (32 bits), step
/// (16), attempt (4), epoch (28) and position (48). A value type, not shared between threads.
class Random {
 public:
  Random(const RandomKey& key, std::uint32_t step) noexcept;

  /// Returns the generator of another step of the same sample, at its first draw.
  Random for_step(std::uint32_t step) const noexcept;

  /// Uniform over all 32-bit numbers.
  std::uint32_t bits() noexcept;
  /// Uniform in [0, 1), with 53 bits. Takes two draws.
  double uniform() noexcept;
  /// Uniform in [low, high).
  double uniform(double low, double high) noexcept;
  /// Uniform in [0, bound) without bias (Lemire's method). `bound` must be positive.
  std::uint64_t below(std::uint64_t bound) noexcept;
  /// True with that probability.
  bool bernoulli(double probability) noexcept { return uniform() < probability; }

  // So that the standard distributions take it (their results differ between implementations).
  using result_type = std::uint32_t;
  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return 0xFFFFFFFFU; }
  result_type operator()() noexcept { return bits(); }

 private:
  void refill() noexcept;

  RandomKey key_;
  std::uint32_t step_;
  std::uint32_t block_ = 0;
  std::uint32_t used_ = 4;
  std::array<std::uint32_t, 4> numbers_{};
};

}  // namespace stoker
