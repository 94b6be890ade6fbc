#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

/// The Mersenne Twister MT19937: the numbers of std::mt19937, but handed out many at a time, which
/// the compiler turns into vector code. Not thread-safe.
/// Source: Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
/// pseudo-random number generator", ACM TOMACS 8 (1998); seeded as in its version of 2002.
class Mt19937 {
 public:
  /// Numbers are made so many at a time: take them in such pieces.
  static constexpr std::size_t block_size = 624;

  explicit Mt19937(std::uint32_t seed) noexcept;

  /// Fills `out` with the next numbers.
  void fill(std::span<std::uint32_t> out) noexcept;

 private:
  void twist() noexcept;

  std::array<std::uint32_t, block_size> state_;
  std::size_t used_ = block_size;
};

}  // namespace stoker
