#include "samplers/randperm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace stoker {
namespace {

template <class Index>
std::vector<std::uint64_t> permutation(std::size_t size, std::uint64_t seed, RandpermDraws draws) {
  std::vector<Index> order(size);
  Mt19937 generator = torch_generator(seed);
  randperm(std::span<Index>(order), generator, draws);
  return {order.begin(), order.end()};
}

// torch's two loops as plainly as they can be written, to hold the fast ones against.
std::vector<std::uint64_t> plain_with_32_bits(std::size_t size, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<std::uint64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i + 1 < size; ++i)
    std::swap(order[i], order[i + generator() % (size - i)]);
  return order;
}

std::vector<std::uint64_t> plain_with_64_bits(std::size_t size, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<std::uint64_t> order(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t high = generator();
    const std::uint64_t low = generator();
    const std::size_t place = (high << 32 | low) % (i + 1);
    order[i] = i;
    order[i] = order[place];
    order[place] = i;
  }
  return order;
}

constexpr std::size_t sizes[] = {0, 1, 2, 3, 311, 312, 313, 623, 624, 625, 626, 1250, 10'007};

TEST(Randperm, TakesTheAlgorithmThatTorchTakesForTheSize) {
  EXPECT_EQ(randperm_draws(0), RandpermDraws::bits32);
  EXPECT_EQ(randperm_draws(214'748'363), RandpermDraws::bits32);
  EXPECT_EQ(randperm_draws(214'748'364), RandpermDraws::bits64);
  EXPECT_EQ(randperm_draws(std::uint64_t{1} << 40), RandpermDraws::bits64);
}

TEST(Randperm, With32BitsEqualsThePlainLoopAtEverySizeAroundABlock) {
  for (const std::size_t size : sizes) {
    const auto expected = plain_with_32_bits(size, 7);
    EXPECT_EQ(permutation<std::uint32_t>(size, 7, RandpermDraws::bits32), expected) << size;
    EXPECT_EQ(permutation<std::uint64_t>(size, 7, RandpermDraws::bits32), expected) << size;
  }
}

TEST(Randperm, With64BitsEqualsThePlainLoopAtEverySizeAroundABlock) {
  for (const std::size_t size : sizes) {
    const auto expected = plain_with_64_bits(size, 7);
    EXPECT_EQ(permutation<std::uint32_t>(size, 7, RandpermDraws::bits64), expected) << size;
    EXPECT_EQ(permutation<std::uint64_t>(size, 7, RandpermDraws::bits64), expected) << size;
  }
}

TEST(Randperm, With64BitsTakesTheFirstNumberAsTheUpperHalf) {
  std::mt19937 generator(1);
  std::vector<std::uint64_t> upper_half_decides(1000);
  std::vector<std::uint64_t> swapped_halves(1000);
  for (std::size_t i = 0; i < upper_half_decides.size(); ++i) {
    const std::uint64_t first = generator();
    const std::uint64_t second = generator();
    upper_half_decides[i] = (first << 32 | second) % (i + 1);
    swapped_halves[i] = (second << 32 | first) % (i + 1);
  }
  ASSERT_NE(upper_half_decides, swapped_halves);
  const auto order = permutation<std::uint32_t>(1000, 1, RandpermDraws::bits64);
  // The last index goes to its target and nothing moves behind it.
  EXPECT_EQ(order[upper_half_decides.back()], 999U);
  EXPECT_NE(order[swapped_halves.back()], 999U);
}

TEST(Randperm, HoldsEveryIndexOnce) {
  for (const RandpermDraws draws : {RandpermDraws::bits32, RandpermDraws::bits64}) {
    auto order = permutation<std::uint32_t>(50'000, 3, draws);
    std::ranges::sort(order);
    std::vector<std::uint64_t> all(order.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
  }
}

TEST(Randperm, UsesTheLow32BitsOfTheSeed) {
  const auto draws = RandpermDraws::bits32;
  EXPECT_EQ(permutation<std::uint32_t>(100, 5, draws),
            permutation<std::uint32_t>(100, 5 + (std::uint64_t{9} << 32), draws));
  EXPECT_NE(permutation<std::uint32_t>(100, 5, draws), permutation<std::uint32_t>(100, 6, draws));
}

TEST(Randperm, GoesOnWithTheGeneratorBehindTheNumbersThatItDrew) {
  for (const std::size_t size : sizes) {
    std::vector<std::uint32_t> order(size);
    Mt19937 generator(7);
    randperm(std::span(order), generator, RandpermDraws::bits32);
    randperm(std::span(order), generator, RandpermDraws::bits64);
    std::mt19937 expected(7);
    expected.discard((size == 0 ? 0 : size - 1) + 2 * size);
    std::uint32_t next = 0;
    generator.fill({&next, 1});
    EXPECT_EQ(next, expected()) << size;
  }
}

TEST(Randperm, ShufflesAnyValuesAsItShufflesTheirPlaces) {
  for (const RandpermDraws draws : {RandpermDraws::bits32, RandpermDraws::bits64}) {
    std::vector<std::uint32_t> values(1000);
    for (std::uint32_t i = 0; i < 1000; ++i) values[i] = 5 * i * i + 3;
    const std::vector<std::uint32_t> before = values;
    Mt19937 generator(9);
    shuffle(std::span(values), generator, draws);
    const auto places = permutation<std::uint32_t>(1000, 9, draws);
    for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(values[i], before[places[i]]);
  }
}

}  // namespace
}  // namespace stoker
