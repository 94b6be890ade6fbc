#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stoker {

/// The Mersenne Twister MT19937: the numbers of std::mt19937, but handed out in whole blocks, which
/// the compiler turns into vector code. Not thread-safe.
/// Source: Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
/// pseudo-random number generator", ACM TOMACS 8 (1998); seeded as in its version of 2002.
class Mt19937 {
 public:
  static constexpr std::size_t block_size = 624;
  using Block = std::array<std::uint32_t, block_size>;

  explicit Mt19937(std::uint32_t seed) noexcept;

  /// Returns the next 624 numbers; they stay until the next call.
  const Block& next_block() noexcept;

 private:
  void twist() noexcept;

  Block state_;
  Block numbers_{};
};

}  // namespace stoker
