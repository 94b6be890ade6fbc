#pragma once

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

/// Fills `order` with torch's permutation of 0, 1, ..., order.size() - 1 for a generator seeded
/// with `seed`. `Index`, std::uint32_t or std::uint64_t, must hold every index; bits32 is for fewer
/// than 2^32 of them. The algorithm is a parameter so that each can be tested at any size.
template <class Index>
void randperm(std::span<Index> order, std::uint64_t seed, RandpermDraws draws);

extern template void randperm(std::span<std::uint32_t>, std::uint64_t, RandpermDraws);
extern template void randperm(std::span<std::uint64_t>, std::uint64_t, RandpermDraws);

}  // namespace stoker
