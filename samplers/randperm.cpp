#include "samplers/randperm.hpp"

#include "samplers/mt19937.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace stoker {
namespace {

// Both shuffles go block by block: first all targets of a block, which do not depend on the
// permutation and so can be fetched ahead, then the moves. That hides most of the cache misses.

template <class Index>
void fetch_ahead(const Index* element) noexcept {
  __builtin_prefetch(element, 1);
}

template <class Index>
void shuffle_from_the_front(std::span<Index> order, Mt19937 generator) {
  std::iota(order.begin(), order.end(), Index{0});
  std::array<Index*, Mt19937::block_size> target;
  for (std::size_t first = 0; first + 1 < order.size();) {
    const Mt19937::Block& numbers = generator.next_block();
    const std::size_t count = std::min(target.size(), order.size() - 1 - first);
    for (std::size_t k = 0; k < count; ++k) {
      const auto left = static_cast<std::uint32_t>(order.size() - first - k);
      target[k] = &order[first + k + numbers[k] % left];
      fetch_ahead(target[k]);
    }
    for (std::size_t k = 0; k < count; ++k) std::swap(order[first + k], *target[k]);
    first += count;
  }
}

template <class Index>
void shuffle_inside_out(std::span<Index> order, Mt19937 generator) {
  std::array<Index*, Mt19937::block_size / 2> target;
  for (std::size_t first = 0; first < order.size();) {
    const Mt19937::Block& numbers = generator.next_block();
    const std::size_t count = std::min(target.size(), order.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t number = std::uint64_t{numbers[2 * k]} << 32 | numbers[2 * k + 1];
      target[k] = &order[number % (first + k + 1)];
      fetch_ahead(target[k]);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto index = static_cast<Index>(first + k);
      order[index] = index;  // the target may be this very place
      order[index] = *target[k];
      *target[k] = index;
    }
    first += count;
  }
}

}  // namespace

template <class Index>
void randperm(std::span<Index> order, std::uint64_t seed, RandpermDraws draws) {
  const Mt19937 generator(static_cast<std::uint32_t>(seed));
  if (draws == RandpermDraws::bits32) {
    shuffle_from_the_front(order, generator);
  } else {
    shuffle_inside_out(order, generator);
  }
}

template void randperm(std::span<std::uint32_t>, std::uint64_t, RandpermDraws);
template void randperm(std::span<std::uint64_t>, std::uint64_t, RandpermDraws);

}  // namespace stoker
