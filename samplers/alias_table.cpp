#include "samplers/alias_table.hpp"

#include "samplers/scaled.hpp"

#include <cstddef>
#include <utility>

namespace stoker {
namespace {

constexpr std::uint64_t full = std::uint64_t{1} << 32;

}  // namespace

// A share is the difference of two rounded sums: all shares together are exactly what the cells
// hold.
template <class Weight>
AliasTable::AliasTable(std::span<const Weight> weights, double total) : cells_(weights.size()) {
  const auto parts = static_cast<double>(weights.size() * full);
  double sum = 0;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += static_cast<double>(weights[i]);
    const auto until = static_cast<std::uint64_t>(sum / total * parts);
    cells_[i] = until - std::exchange(before, until);
  }
  pair_up();
}

// What a small share leaves free of its cell comes from the large one in hand. A large share that
// has become small by that is the next to be filled up; while one is small, another must be large,
// since the shares left make up whole cells.
void AliasTable::pair_up() {
  std::vector<bool> is_large(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) is_large[i] = cells_[i] >= full;
  const auto next = [&](std::size_t i, bool large) {
    while (i < cells_.size() && is_large[i] != large) ++i;
    return i;
  };
  std::size_t large = next(0, true);
  for (auto first = next(0, false); first < cells_.size(); first = next(first + 1, false)) {
    for (std::size_t small = first; cells_[small] < full;) {
      cells_[large] -= full - cells_[small];
      cells_[small] |= std::uint64_t{large} << 32;
      if (cells_[large] >= full) break;
      small = std::exchange(large, next(large + 1, true));
    }
  }
  for (; large < cells_.size(); large = next(large + 1, true)) {
    cells_[large] = std::uint64_t{large} << 32;
  }
}

std::uint64_t AliasTable::pick(const std::array<std::uint32_t, 4>& numbers) const noexcept {
  const std::uint64_t cell = scaled(std::uint64_t{numbers[0]} << 32 | numbers[1], cells_.size());
  const std::uint64_t content = cells_[cell];
  return numbers[2] < static_cast<std::uint32_t>(content) ? cell : content >> 32;
}

template AliasTable::AliasTable(std::span<const float>, double);
template AliasTable::AliasTable(std::span<const double>, double);

}  // namespace stoker
