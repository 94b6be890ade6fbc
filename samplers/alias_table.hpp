#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stoker {

/// Picks an index in proportion to its weight, in the same time for any number of them: the alias
/// method. 8 bytes a weight, and no more than an eighth of a byte besides while it is built.
///
/// It is built in whole numbers whose sum is exact, so no rounding is left over that would have to
/// be given to anybody: an index of weight 0 is never picked. Every probability is right to 2^-20
/// of 1 / weights.size(). Source: Walker, "An efficient method for generating discrete random
/// variables with general distributions", ACM TOMS 3 (1977); built in linear time as in Vose, "A
/// linear algorithm for generating random numbers with a given distribution", IEEE TSE 17 (1991).
class AliasTable {
 public:
  /// `weights` are finite and not negative, fewer than 2^32; `total` is their sum, added in order.
  template <class Weight>
  AliasTable(std::span<const Weight> weights, double total);

  /// Returns an index for four uniform 32-bit numbers.
  std::uint64_t pick(const std::array<std::uint32_t, 4>& numbers) const noexcept;

 private:
  void pair_up();

  // While it is built, an index's share, in parts of which each cell holds 2^32; then the lower
  // half says which part of the cell is its own, and the upper half whose the rest is.
  std::vector<std::uint64_t> cells_;
};

extern template AliasTable::AliasTable(std::span<const float>, double);
extern template AliasTable::AliasTable(std::span<const double>, double);

}  // namespace stoker
