#include "samplers/mt19937.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stoker {
namespace {

TEST(Mt19937, GivesTheTenThousandthNumberThatTheStandardDemands) {
  Mt19937 generator(5489);
  constexpr std::size_t wanted = 9'999;
  const Mt19937::Block* block = nullptr;
  for (std::size_t i = 0; i <= wanted / Mt19937::block_size; ++i) block = &generator.next_block();
  EXPECT_EQ((*block)[wanted % Mt19937::block_size], 4123659995U);
}

TEST(Mt19937, GivesTheNumbersOfTheStandardLibraryForEverySeed) {
  for (const std::uint32_t seed : {0U, 1U, 42U, 0x80000000U, 0xFFFFFFFFU}) {
    Mt19937 generator(seed);
    std::mt19937 expected(seed);
    for (int block = 0; block < 5; ++block) {
      for (const std::uint32_t number : generator.next_block()) ASSERT_EQ(number, expected());
    }
  }
}

}  // namespace
}  // namespace stoker
