#include <stoker/core/random.hpp>

namespace stoker {
namespace {

struct HighLow {
  std::uint32_t high;
  std::uint32_t low;
};

HighLow multiply(std::uint32_t a, std::uint32_t b) noexcept {
  const std::uint64_t product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

constexpr std::uint64_t mask(int bits) noexcept { return (std::uint64_t{1} << bits) - 1; }

}  // namespace

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const HighLow p0 = multiply(multiplier_0, counter[0]);
    const HighLow p1 = multiply(multiplier_1, counter[2]);
    counter = {p1.high ^ counter[1] ^ key[0], p1.low, p0.high ^ counter[3] ^ key[1], p0.low};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return counter;
}

Random::Random(const RandomKey& key, std::uint32_t step) noexcept : key_(key), step_(step) {}

Random Random::for_step(std::uint32_t step) const noexcept { return {key_, step}; }

void Random::refill() noexcept {
  // From the low end: draw 32 bits (in blocks of four), step 16, attempt 4, epoch 28, position 48.
  const std::uint64_t low = std::uint64_t{block_} | (step_ & mask(16)) << 32 |
                            (key_.attempt & mask(4)) << 48 | (key_.epoch & mask(12)) << 52;
  const std::uint64_t high = ((key_.epoch & mask(28)) >> 12) | (key_.position & mask(48)) << 16;
  numbers_ = philox4x32_10(
      {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
       static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)},
      {static_cast<std::uint32_t>(key_.seed), static_cast<std::uint32_t>(key_.seed >> 32)});
  ++block_;
  used_ = 0;
}

std::uint32_t Random::bits() noexcept {
  if (used_ == numbers_.size()) refill();
  return numbers_[used_++];
}

double Random::uniform() noexcept {
  const std::uint64_t high = bits() >> 5;  // 27 bits
  const std::uint64_t low = bits() >> 6;   // 26 bits
  return static_cast<double>(high << 26 | low) * 0x1.0p-53;
}

double Random::uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }

// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
std::uint64_t Random::below(std::uint64_t bound) noexcept {
  const auto draw = [this] {
    const std::uint64_t high = bits();
    return high << 32 | bits();
  };
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{draw()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{draw()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace stoker
