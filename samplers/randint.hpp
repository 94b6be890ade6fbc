#pragma once

#include "samplers/mt19937.hpp"

#include <cstdint>
#include <span>

namespace stoker {

/// How many numbers torch.randint on the CPU draws for an index.
enum class RandintDraws : std::uint8_t {
  bits32,  ///< one
  bits64,  ///< two, the first the upper half
};

/// Returns what torch draws for indices below `bound`.
/// Source: PyTorch 2.11, aten/src/ATen/core/DistributionsHelper.h,
/// uniform_int_from_to_distribution. The limit is 2^28 since PyTorch 2.7; before, it was 2^32.
constexpr RandintDraws randint_draws(std::uint64_t bound) noexcept {
  return bound < std::uint64_t{1} << 28 ? RandintDraws::bits32 : RandintDraws::bits64;
}

/// Fills `out` with torch.randint's numbers below `bound`, which `Index`, std::uint32_t or
/// std::uint64_t, must hold.
template <class Index>
void randint(std::span<Index> out, std::uint64_t bound, Mt19937& generator, RandintDraws draws);

extern template void randint(std::span<std::uint32_t>, std::uint64_t, Mt19937&, RandintDraws);
extern template void randint(std::span<std::uint64_t>, std::uint64_t, Mt19937&, RandintDraws);

}  // namespace stoker
