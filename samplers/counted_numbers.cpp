#include "samplers/counted_numbers.hpp"

#include <stoker/core/random.hpp>

namespace stoker {
namespace {

constexpr std::uint32_t low(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(number);
}

constexpr std::uint32_t high(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(number >> 32);
}

}  // namespace

CountedNumbers::CountedNumbers(std::uint64_t seed, std::uint64_t epoch, std::uint64_t stream,
                               Purpose purpose) noexcept
    : key_(philox4x32_10({low(epoch), high(epoch), low(stream), high(stream)},
                         {low(seed), high(seed)})) {
  key_[3] ^= static_cast<std::uint32_t>(purpose);
}

std::array<std::uint32_t, 4> CountedNumbers::at(std::uint64_t number) const noexcept {
  return philox4x32_10({low(number), high(number), key_[2], key_[3]}, {key_[0], key_[1]});
}

std::array<std::uint64_t, 2> CountedNumbers::pair_at(std::uint64_t number) const noexcept {
  const std::array<std::uint32_t, 4> words = at(number);
  return {std::uint64_t{words[1]} << 32 | words[0], std::uint64_t{words[3]} << 32 | words[2]};
}

}  // namespace stoker
