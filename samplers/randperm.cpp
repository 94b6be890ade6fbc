#include "samplers/randperm.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace stoker {
namespace {

// Both shuffles go block by block: first all targets of a block, which do not depend on the
// values and so can be fetched ahead, then the moves. That hides most of the cache misses.

template <class Index>
void fetch_ahead(const Index* element) noexcept {
  __builtin_prefetch(element, 1);
}

template <class Index>
void shuffle_from_the_front(std::span<Index> values, Mt19937& generator) {
  std::array<std::uint32_t, Mt19937::block_size> numbers;
  std::array<Index*, Mt19937::block_size> target;
  for (std::size_t first = 0; first + 1 < values.size();) {
    const std::size_t count = std::min(target.size(), values.size() - 1 - first);
    generator.fill(std::span(numbers).first(count));
    for (std::size_t k = 0; k < count; ++k) {
      const auto left = static_cast<std::uint32_t>(values.size() - first - k);
      target[k] = &values[first + k + numbers[k] % left];
      fetch_ahead(target[k]);
    }
    for (std::size_t k = 0; k < count; ++k) std::swap(values[first + k], *target[k]);
    first += count;
  }
}

// Torch writes index i to place i and then swaps it back with the target: a swap of what stood
// there.
template <class Index>
void shuffle_inside_out(std::span<Index> values, Mt19937& generator) {
  std::array<std::uint32_t, Mt19937::block_size> numbers;
  std::array<Index*, Mt19937::block_size / 2> target;
  for (std::size_t first = 0; first < values.size();) {
    const std::size_t count = std::min(target.size(), values.size() - first);
    generator.fill(std::span(numbers).first(2 * count));
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t number = std::uint64_t{numbers[2 * k]} << 32 | numbers[2 * k + 1];
      target[k] = &values[number % (first + k + 1)];
      fetch_ahead(target[k]);
    }
    for (std::size_t k = 0; k < count; ++k) std::swap(values[first + k], *target[k]);
    first += count;
  }
}

}  // namespace

template <class Index>
void shuffle(std::span<Index> values, Mt19937& generator, RandpermDraws draws) {
  if (draws == RandpermDraws::bits32) {
    shuffle_from_the_front(values, generator);
  } else {
    shuffle_inside_out(values, generator);
  }
}

template <class Index>
void randperm(std::span<Index> order, Mt19937& generator, RandpermDraws draws) {
  std::iota(order.begin(), order.end(), Index{0});
  shuffle(order, generator, draws);
}

template void shuffle(std::span<std::uint32_t>, Mt19937&, RandpermDraws);
template void shuffle(std::span<std::uint64_t>, Mt19937&, RandpermDraws);
template void randperm(std::span<std::uint32_t>, Mt19937&, RandpermDraws);
template void randperm(std::span<std::uint64_t>, Mt19937&, RandpermDraws);

}  // namespace stoker
