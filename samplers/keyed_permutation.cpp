#include "samplers/keyed_permutation.hpp"

#include "samplers/counted_numbers.hpp"
#include "samplers/scaled.hpp"

#include <cmath>

namespace stoker {
namespace {

constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// Adds what the round's function makes of `other`, modulo `size`.
std::uint64_t shifted(std::uint64_t value, std::uint64_t other, std::uint64_t key,
                      std::uint64_t size) noexcept {
  const std::uint64_t sum = value + scaled(mixed(other ^ key), size);
  return sum < size ? sum : sum - size;
}

std::uint64_t even_rows(std::uint64_t size) noexcept {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size)));
  while (root * root < size) ++root;
  while (root > 1 && (root - 1) * (root - 1) >= size) --root;
  return root + root % 2;
}

std::size_t rounds_for(std::uint64_t size) noexcept {
  if (size <= 256) return 32;
  return size <= 65'536 ? 16 : 8;
}

}  // namespace

KeyedPermutation::KeyedPermutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch,
                                   std::uint64_t stream) noexcept
    : size_(size),
      rows_(even_rows(size)),
      columns_((size + rows_ - 1) / rows_),
      rounds_(rounds_for(size)),
      keys_() {
  const CountedNumbers numbers(seed, epoch, stream, Purpose::permutation);
  for (std::size_t round = 0; round < rounds_; round += 2) {
    const auto pair = numbers.pair_at(round / 2);
    keys_[round] = pair[0];
    keys_[round + 1] = pair[1];
  }
}

std::uint64_t KeyedPermutation::once(std::uint64_t position) const noexcept {
  std::uint64_t row = position % rows_;
  std::uint64_t column = position / rows_;
  for (std::size_t round = 0; round < rounds_; round += 2) {
    row = shifted(row, column, keys_[round], rows_);
    column = shifted(column, row, keys_[round + 1], columns_);
  }
  return column * rows_ + row;
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t position) const noexcept {
  do position = once(position);
  while (position >= size_);
  return position;
}

}  // namespace stoker
