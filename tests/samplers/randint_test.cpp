#include "samplers/randint.hpp"

#include "tests/samplers/orders.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stoker {
namespace {

TEST(Randint, GivesTheNumbersOfTorchRandint) {
  ASSERT_GE(goldens().at("randint").size(), 5U);
  for (const auto& golden : goldens().at("randint")) {
    const auto expected = golden.at("values").get<Indices>();
    const auto bound = golden.at("high").get<std::uint64_t>();
    Mt19937 generator(static_cast<std::uint32_t>(golden.at("seed").get<std::uint64_t>()));
    Indices numbers(expected.size());
    randint(std::span(numbers), bound, generator, randint_draws(bound));
    EXPECT_EQ(numbers, expected) << golden;
  }
}

TEST(Randint, DrawsTwoNumbersFrom2To28On) {
  EXPECT_EQ(randint_draws(1), RandintDraws::bits32);
  EXPECT_EQ(randint_draws((1U << 28) - 1), RandintDraws::bits32);
  EXPECT_EQ(randint_draws(1U << 28), RandintDraws::bits64);
  EXPECT_EQ(randint_draws(~std::uint64_t{0}), RandintDraws::bits64);
}

TEST(Randint, EqualsThePlainLoopInBothWidths) {
  constexpr std::uint64_t bound = 3'000'000'019;
  Mt19937 generator(11);
  std::mt19937 plain(11);
  for (const std::size_t count : {1, 311, 312, 313, 624, 2000}) {
    std::vector<std::uint32_t> ones(count);
    randint(std::span(ones), bound, generator, RandintDraws::bits32);
    for (const std::uint32_t number : ones) ASSERT_EQ(number, plain() % bound);
    Indices pairs(count);
    randint(std::span(pairs), bound, generator, RandintDraws::bits64);
    for (const std::uint64_t number : pairs) {
      const std::uint64_t high = plain();
      const std::uint64_t low = plain();
      ASSERT_EQ(number, (high << 32 | low) % bound);
    }
  }
}

}  // namespace
}  // namespace stoker
