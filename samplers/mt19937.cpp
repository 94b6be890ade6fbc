#include "samplers/mt19937.hpp"

#include <algorithm>

namespace stoker {
namespace {

constexpr std::size_t shift = 397;

std::uint32_t mixed(std::uint32_t upper, std::uint32_t lower) noexcept {
  const std::uint32_t joined = (upper & 0x80000000U) | (lower & 0x7FFFFFFFU);
  const std::uint32_t odd = 0U - (lower & 1U);  // all bits set where lower is odd: no branch
  return (joined >> 1) ^ (odd & 0x9908B0DFU);
}

std::uint32_t tempered(std::uint32_t y) noexcept {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9D2C5680U;
  y ^= (y << 15) & 0xEFC60000U;
  return y ^ (y >> 18);
}

}  // namespace

Mt19937::Mt19937(std::uint32_t seed) noexcept {
  state_[0] = seed;
  for (std::uint32_t i = 1; i < block_size; ++i) {
    state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

void Mt19937::twist() noexcept {
  // Two loops and not one with a modulo, so that both vectorise.
  constexpr std::size_t turn = block_size - shift;
  for (std::size_t i = 0; i < turn; ++i) {
    state_[i] = state_[i + shift] ^ mixed(state_[i], state_[i + 1]);
  }
  for (std::size_t i = turn; i + 1 < block_size; ++i) {
    state_[i] = state_[i - turn] ^ mixed(state_[i], state_[i + 1]);
  }
  state_.back() = state_[shift - 1] ^ mixed(state_.back(), state_[0]);
  used_ = 0;
}

void Mt19937::fill(std::span<std::uint32_t> out) noexcept {
  while (!out.empty()) {
    if (used_ == block_size) twist();
    const std::size_t count = std::min(out.size(), block_size - used_);
    const std::uint32_t* next = &state_[used_];
    for (std::size_t i = 0; i < count; ++i) out[i] = tempered(next[i]);
    used_ += count;
    out = out.subspan(count);
  }
}

}  // namespace stoker
