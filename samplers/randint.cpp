#include "samplers/randint.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace stoker {

template <class Index>
void randint(std::span<Index> out, std::uint64_t bound, Mt19937& generator, RandintDraws draws) {
  const std::size_t each = draws == RandintDraws::bits32 ? 1 : 2;
  std::array<std::uint32_t, Mt19937::block_size> numbers;
  while (!out.empty()) {
    const std::size_t count = std::min(out.size(), numbers.size() / each);
    generator.fill(std::span(numbers).first(count * each));
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t number =
          each == 1 ? numbers[k] : std::uint64_t{numbers[2 * k]} << 32 | numbers[2 * k + 1];
      out[k] = static_cast<Index>(number % bound);
    }
    out = out.subspan(count);
  }
}

template void randint(std::span<std::uint32_t>, std::uint64_t, Mt19937&, RandintDraws);
template void randint(std::span<std::uint64_t>, std::uint64_t, Mt19937&, RandintDraws);

}  // namespace stoker
