#pragma once

#include <stoker/samplers/sampler.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace stoker {

/// What becomes of the samples at an epoch's end that do not divide among the ranks.
enum class Remainder : std::uint8_t {
  pad,     ///< the epoch's first samples come again, so that each rank gets as many
  drop,    ///< they are left out (the drop_last of torch's DistributedSampler)
  uneven,  ///< neither: each sample exactly once, some ranks get one fewer; for evaluation
};

/// Returns the rule's name as written in the enumeration.
std::string_view name(Remainder remainder) noexcept;

/// Splits an order among ranks: of the samples behind position `from`, rank r of R gets those at
/// from + r, from + r + R, from + r + 2 R, ... A pure function of its arguments, so a run that was
/// stopped at `from` goes on with another number of ranks, and nothing is lost or repeated but at
/// the epoch's end. With from = 0 the split of torch's DistributedSampler.
struct RankSplit {
  static constexpr std::uint64_t max_world_size = std::uint64_t{1} << 32;

  std::uint64_t rank = 0;
  std::uint64_t world_size = 1;
  Remainder remainder = Remainder::pad;

  /// @throws Error(invalid_argument) where world_size is 0 or above its maximum, or rank is not
  /// below it.
  void check() const;
  /// Number of samples that this rank gets of an order of `size` samples, from `from` on.
  std::uint64_t count(std::uint64_t size, std::uint64_t from = 0) const noexcept;
  /// Place of this rank's sample number `i` in the order. With `pad`, the last one may lie behind
  /// the order's end: it then stands for the sample at position modulo size.
  std::uint64_t position(std::uint64_t from, std::uint64_t i) const noexcept {
    return from + i * world_size + rank;
  }

  friend bool operator==(const RankSplit&, const RankSplit&) = default;
};

/// Reads this rank's samples number first, first + stride, ... of an order from `from` on, which
/// must exist: RankSplit::count says how many there are.
void read_split(const Order& order, const RankSplit& split, std::uint64_t from, std::uint64_t first,
                std::uint64_t stride, std::span<std::uint64_t> out);

}  // namespace stoker
