#include <stoker/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace stoker {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Source: Random123, tests/kat_vectors, the lines "philox4x32 10".
TEST(Philox, GivesItsAuthorsKnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(philox4x32_10({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Block{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(
      philox4x32_10({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
      (Block{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

std::vector<std::uint32_t> draws(const RandomKey& key, std::uint32_t step, int count = 8) {
  Random random(key, step);
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(random.bits());
  return numbers;
}

// The layout is a promise: with another one every seed gives other augmentations.
TEST(Random, CountsWithDrawStepAttemptEpochAndPositionFromTheLowEnd) {
  const RandomKey key{
      .seed = 0x1122334455667788, .epoch = 0xABCDEF0, .position = 0x123456789ABC, .attempt = 5};
  Random random(key, 0xBEEF);
  for (std::uint32_t block = 0; block < 3; ++block) {
    // position << 16 | epoch >> 12 above epoch << 20 | attempt << 16 | step above the block's
    // number
    const Block expected =
        philox4x32_10({block, 0xEF05BEEF, 0x9ABCABCD, 0x12345678}, {0x55667788, 0x11223344});
    for (const std::uint32_t number : expected) ASSERT_EQ(random.bits(), number) << block;
  }
}

TEST(Random, GivesOtherNumbersForEveryPartOfItsKey) {
  const RandomKey base{.seed = 1, .epoch = 2, .position = 3, .attempt = 4};
  std::set<std::vector<std::uint32_t>> all{draws(base, 5)};
  const auto changed = [&](auto change) {
    RandomKey key = base;
    change(key);
    return all.insert(draws(key, 5)).second;
  };
  EXPECT_TRUE(changed([](RandomKey& key) { key.seed = 9; }));
  EXPECT_TRUE(changed([](RandomKey& key) { key.seed += std::uint64_t{1} << 63; }));
  EXPECT_TRUE(changed([](RandomKey& key) { key.epoch = 9; }));
  EXPECT_TRUE(changed([](RandomKey& key) { key.epoch += 1U << 27; }));
  EXPECT_TRUE(changed([](RandomKey& key) { key.position = 9; }));
  EXPECT_TRUE(changed([](RandomKey& key) { key.position += std::uint64_t{1} << 47; }));
  EXPECT_TRUE(changed([](RandomKey& key) { key.attempt = 9; }));
  EXPECT_TRUE(all.insert(draws(base, 6)).second);
  EXPECT_TRUE(all.insert(draws(base, 5 + (1U << 15))).second);
}

TEST(Random, RepeatsForTheSameKeyAndStepWhateverCameBefore) {
  const RandomKey key{.seed = 7, .position = 11};
  Random random(key, 1);
  static_cast<void>(random.below(10));
  Random again = random.for_step(1);
  for (const std::uint32_t number : draws(key, 1)) EXPECT_EQ(again.bits(), number);
  Random other = random.for_step(2);
  for (const std::uint32_t number : draws(key, 2)) EXPECT_EQ(other(), number);
}

TEST(Random, TakesTheFirstDrawAsTheUpperHalfOfALongNumber) {
  const RandomKey key{.seed = 3};
  const auto expected = draws(key, 0, 2);
  // Scaling to 2^32 leaves the upper half.
  EXPECT_EQ(Random(key, 0).below(std::uint64_t{1} << 32), expected[0]);
  EXPECT_EQ(Random(key, 0).uniform(),
            (static_cast<double>(expected[0] >> 5) * 0x1.0p26 + (expected[1] >> 6)) * 0x1.0p-53);
}

TEST(Random, IsUniformBetweenZeroAndOne) {
  Random random({.seed = 5}, 0);
  constexpr int count = 100'000, bins = 100;
  std::array<int, bins> seen{};
  for (int i = 0; i < count; ++i) {
    const double number = random.uniform();
    ASSERT_GE(number, 0.0);
    ASSERT_LT(number, 1.0);
    ++seen[static_cast<std::size_t>(number * bins)];
  }
  double chi_square = 0;
  for (const int n : seen) chi_square += std::pow(n - count / bins, 2) / (count / bins);
  // 99 degrees of freedom: outside of these with a probability of 1 in 1000 on each side.
  EXPECT_GT(chi_square, 60.0);
  EXPECT_LT(chi_square, 149.0);
}

TEST(Random, StaysInsideAnInterval) {
  Random random({.seed = 6}, 0);
  double lowest = 3, highest = -2;
  for (int i = 0; i < 10'000; ++i) {
    const double number = random.uniform(-2, 3);
    lowest = std::min(lowest, number);
    highest = std::max(highest, number);
  }
  EXPECT_GE(lowest, -2.0);
  EXPECT_LT(lowest, -1.99);
  EXPECT_LT(highest, 3.0);
  EXPECT_GT(highest, 2.99);
}

TEST(Random, DrawsBelowABoundWithoutBias) {
  Random random({.seed = 8}, 0);
  constexpr int count = 70'000;
  constexpr std::size_t bound = 7;
  std::array<int, bound> seen{};
  for (int i = 0; i < count; ++i) ++seen.at(random.below(bound));
  double chi_square = 0;
  for (const int n : seen) chi_square += std::pow(n - count / 7.0, 2) / (count / 7.0);
  EXPECT_LT(chi_square, 22.5);  // 6 degrees of freedom, 1 in 1000
}

// With 3 * 2^62 a plain scaling would give each third number twice as often.
TEST(Random, DrawsBelowALargeBoundWithoutBias) {
  Random random({.seed = 9}, 0);
  constexpr int count = 30'000;
  constexpr std::uint64_t bound = std::uint64_t{3} << 62;
  std::array<int, 3> seen{};
  for (int i = 0; i < count; ++i) {
    const std::uint64_t number = random.below(bound);
    ASSERT_LT(number, bound);
    ++seen[number % 3];
  }
  double chi_square = 0;
  for (const int n : seen) chi_square += std::pow(n - count / 3.0, 2) / (count / 3.0);
  EXPECT_LT(chi_square, 13.8);  // 2 degrees of freedom, 1 in 1000
}

TEST(Random, DrawsOnlyZeroBelowOne) {
  Random random({.seed = 10}, 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, IsTrueAsOftenAsAsked) {
  Random random({.seed = 11}, 0);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) hits += random.bernoulli(0.3);
  EXPECT_NEAR(hits, 3000, 150);  // 3.3 standard deviations
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(random.bernoulli(0));
    EXPECT_TRUE(random.bernoulli(1));
  }
}

}  // namespace
}  // namespace stoker
