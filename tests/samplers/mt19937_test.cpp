#include "samplers/mt19937.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace stoker {
namespace {

TEST(Mt19937, GivesTheTenThousandthNumberThatTheStandardDemands) {
  Mt19937 generator(5489);
  std::vector<std::uint32_t> numbers(10'000);
  generator.fill(numbers);
  EXPECT_EQ(numbers.back(), 4123659995U);
}

TEST(Mt19937, GivesTheNumbersOfTheStandardLibraryForEverySeedHoweverManyAreTakenAtOnce) {
  for (const std::uint32_t seed : {0U, 1U, 42U, 0x80000000U, 0xFFFFFFFFU}) {
    Mt19937 generator(seed);
    std::mt19937 expected(seed);
    for (const std::size_t count : {1, 0, 623, 624, 625, 3, 620, 2, 2000, 311, 1}) {
      std::vector<std::uint32_t> numbers(count);
      generator.fill(numbers);
      for (const std::uint32_t number : numbers) ASSERT_EQ(number, expected());
    }
  }
}

}  // namespace
}  // namespace stoker
