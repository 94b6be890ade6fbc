#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stoker {

/// A permutation of 0, 1, ..., size - 1 that takes no memory: any place of it is computed from the
/// key (seed, epoch, stream) alone. A generalised Feistel network permutes the pairs of
/// [0, rows) x [0, columns), rows * columns >= size; what falls behind the end goes through it
/// again until it falls before ("cycle walking"), on average less than once more.
///
/// `rows` is the smallest even number from the square root on. Even, since a round that adds to an
/// odd number of rows makes even permutations only, and half of all would never come.
/// Source: Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002; the round
/// function's mixer is variant 13 of Stafford's, as in Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014.
class KeyedPermutation {
 public:
  static constexpr std::uint64_t max_size = std::uint64_t{1} << 62;

  /// `size` is from 1 to max_size.
  KeyedPermutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch,
                   std::uint64_t stream) noexcept;

  std::uint64_t size() const noexcept { return size_; }
  /// Returns the index at a position below size().
  std::uint64_t operator()(std::uint64_t position) const noexcept;

 private:
  // Eight rounds are twice what a network with random functions needs against any observer. The
  // functions on a few rows or columns are few, so small sizes take more rounds to reach all
  // permutations about equally often.
  static constexpr std::size_t most_rounds = 32;

  std::uint64_t once(std::uint64_t position) const noexcept;

  std::uint64_t size_;
  std::uint64_t rows_;
  std::uint64_t columns_;
  std::size_t rounds_;
  std::array<std::uint64_t, most_rounds> keys_;
};

}  // namespace stoker
