#pragma once

#include <array>
#include <cstdint>

namespace stoker {

/// What numbers are drawn for; the same seed, epoch and stream give other numbers for another
/// purpose. Orders that are kept in saved states depend on the values: never change them.
enum class Purpose : std::uint32_t {
  permutation = 1,
  weighted_draw = 2,
  weighted_key = 3,
  pass_seed = 4,
  mixture_block = 5,
};

/// Random numbers that are counted and not streamed: each is a function of seed, epoch, stream,
/// purpose and its own number. Philox makes a 128-bit key of the first three, and with it the
/// numbers, so none of them is cut short and none meets the numbers that samples are augmented
/// with.
class CountedNumbers {
 public:
  CountedNumbers(std::uint64_t seed, std::uint64_t epoch, std::uint64_t stream,
                 Purpose purpose) noexcept;

  /// Returns four uniform 32-bit numbers.
  std::array<std::uint32_t, 4> at(std::uint64_t number) const noexcept;
  /// Returns two uniform 64-bit numbers.
  std::array<std::uint64_t, 2> pair_at(std::uint64_t number) const noexcept;

 private:
  std::array<std::uint32_t, 4> key_;
};

}  // namespace stoker
