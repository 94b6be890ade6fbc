#pragma once

#include "samplers/counted_numbers.hpp"

#include <cstdint>
#include <span>

namespace stoker {

/// Draws indices without replacement in proportion to their weights: fills `out` with the first
/// ones to arrive when index i arrives after an exponentially distributed time of rate weights[i],
/// which is the same. `out` is no longer than there are positive weights; there are fewer than
/// 2^32. Takes 12 bytes a positive weight while it works. @throws std::bad_alloc Source: Efraimidis
/// and Spirakis, "Weighted random sampling with a reservoir", Information Processing Letters 97
/// (2006), with -log of their keys.
template <class Weight>
void weighted_race(std::span<const Weight> weights, const CountedNumbers& numbers,
                   std::span<std::uint32_t> out);

extern template void weighted_race(std::span<const float>, const CountedNumbers&,
                                   std::span<std::uint32_t>);
extern template void weighted_race(std::span<const double>, const CountedNumbers&,
                                   std::span<std::uint32_t>);

}  // namespace stoker
