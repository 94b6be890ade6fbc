#pragma once

#include "samplers/mt19937.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace stoker {

/// The two algorithms of torch.randperm on the CPU.
enum class RandpermDraws : std::uint8_t {
  bits32,  ///< one number an index; Fisher-Yates from the front
  bits64,  ///< two numbers an index, the first the upper half; Fisher-Yates "inside out"
};

/// Returns which of them torch takes for a permutation of `size` indices.
/// Source: PyTorch 2.11, aten/src/ATen/native/TensorFactories.cpp, randperm_cpu. bits64 came with
/// its pull request 143682 of January 2025: older versions take bits32 at every size.
constexpr RandpermDraws randperm_draws(std::uint64_t size) noexcept {
  constexpr std::uint64_t limit = std::numeric_limits<std::uint32_t>::max() / 20;
  return size < limit ? RandpermDraws::bits32 : RandpermDraws::bits64;
}

/// Returns torch's generator for a seed, of which it uses the low 32 bits.
inline Mt19937 torch_generator(std::uint64_t seed) noexcept {
  return Mt19937(static_cast<std::uint32_t>(seed));
}

/// Puts `values` into the order that torch.randperm(values.size()) with that generator names, which
/// goes on behind the numbers that torch draws for it. `Index` is std::uint32_t or std::uint64_t;
/// bits32 is for fewer than 2^32 values. The algorithm is a parameter so that each can be tested at
/// any size.
template <class Index>
void shuffle(std::span<Index> values, Mt19937& generator, RandpermDraws draws);

/// Fills `order` with torch's permutation of 0, 1, ..., order.size() - 1; `Index` must hold each.
template <class Index>
void randperm(std::span<Index> order, Mt19937& generator, RandpermDraws draws);

extern template void shuffle(std::span<std::uint32_t>, Mt19937&, RandpermDraws);
extern template void shuffle(std::span<std::uint64_t>, Mt19937&, RandpermDraws);
extern template void randperm(std::span<std::uint32_t>, Mt19937&, RandpermDraws);
extern template void randperm(std::span<std::uint64_t>, Mt19937&, RandpermDraws);

}  // namespace stoker
