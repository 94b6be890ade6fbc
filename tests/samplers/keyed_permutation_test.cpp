#include "samplers/keyed_permutation.hpp"

#include "tests/samplers/chi_square.hpp"
#include "tests/samplers/orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace stoker {
namespace {

Indices values(const KeyedPermutation& permutation) {
  Indices result(permutation.size());
  for (std::uint64_t i = 0; i < result.size(); ++i) result[i] = permutation(i);
  return result;
}

bool is_odd(const Indices& permutation) {
  std::size_t inversions = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) inversions += permutation[k] > permutation[i] ? 1U : 0U;
  }
  return inversions % 2 == 1;
}

TEST(KeyedPermutation, HoldsEveryIndexOnceAtEverySize) {
  for (std::uint64_t size = 1; size < 300; ++size) {
    ASSERT_EQ(sorted(values(KeyedPermutation(size, 1, 2, 3))), counted(size)) << size;
  }
  for (const std::uint64_t size :
       {1023U, 1024U, 1025U, 65'535U, 65'536U, 65'537U, 99'856U, 99'857U, 99'855U, 1'000'003U}) {
    ASSERT_EQ(sorted(values(KeyedPermutation(size, 9, 0, 0))), counted(size)) << size;
  }
}

TEST(KeyedPermutation, StaysBelowSizesThatNoMemoryHolds) {
  for (const std::uint64_t size : {(std::uint64_t{1} << 48) - 1, std::uint64_t{1} << 48,
                                   std::uint64_t{100'000'000'007}, KeyedPermutation::max_size}) {
    const KeyedPermutation permutation(size, 5, 5, 5);
    Indices seen;
    for (std::uint64_t i = 0; i < 1000; ++i) seen.push_back(permutation(size - 1 - i));
    std::ranges::sort(seen);
    EXPECT_LT(seen.back(), size);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  }
}

// Degrees of freedom: the number of permutations less one.
TEST(KeyedPermutation, GivesEveryPermutationOfFewSamplesAboutEquallyOften) {
  for (const std::uint64_t size : {2U, 3U, 4U, 5U, 6U}) {
    Indices all = counted(size);
    std::map<Indices, std::size_t> number;
    do number.emplace(all, number.size());
    while (std::ranges::next_permutation(all).found);
    Counts counts(number.size());
    for (std::uint64_t key = 0; key < 200 * number.size(); ++key) {
      ++counts[number.at(values(KeyedPermutation(size, key, 0, 0)))];
    }
    SCOPED_TRACE(size);
    expect_chance(counts, number.size() - 1);
  }
}

// Each of the 30,240 beginnings of five values about 10 times.
TEST(KeyedPermutation, GivesEveryBeginningOfTenSamplesAboutEquallyOften) {
  std::map<std::uint64_t, double> seen;
  constexpr std::size_t beginnings = 10 * 9 * 8 * 7 * 6;
  for (std::uint64_t key = 0; key < 10 * beginnings; ++key) {
    const KeyedPermutation permutation(10, 1, key, 0);
    std::uint64_t beginning = 0;
    for (std::uint64_t i = 0; i < 5; ++i) beginning = 10 * beginning + permutation(i);
    ++seen[beginning];
  }
  Counts counts;
  for (const auto& [beginning, count] : seen) counts.push_back(count);
  counts.resize(beginnings);
  expect_chance(counts, beginnings - 1);
}

TEST(KeyedPermutation, GivesOddPermutationsAsOftenAsEvenOnes) {
  for (const std::uint64_t size : {2U, 3U, 5U, 9U, 10U, 16U, 25U, 49U}) {
    Counts counts(2);
    for (std::uint64_t key = 0; key < 4000; ++key) {
      ++counts[is_odd(values(KeyedPermutation(size, 7, 7, key))) ? 1 : 0];
    }
    SCOPED_TRACE(size);
    expect_chance(counts, 1);
  }
}

TEST(KeyedPermutation, DependsOnSeedEpochAndStreamToTheirLastBit) {
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  const Indices base = values(KeyedPermutation(100, 0, 0, 0));
  for (const std::uint64_t bit : {std::uint64_t{1}, std::uint64_t{1} << 32, top}) {
    EXPECT_NE(values(KeyedPermutation(100, bit, 0, 0)), base);
    EXPECT_NE(values(KeyedPermutation(100, 0, bit, 0)), base);
    EXPECT_NE(values(KeyedPermutation(100, 0, 0, bit)), base);
  }
  EXPECT_NE(values(KeyedPermutation(100, 1, 0, 0)), values(KeyedPermutation(100, 0, 1, 0)));
  EXPECT_NE(values(KeyedPermutation(100, 0, 1, 0)), values(KeyedPermutation(100, 0, 0, 1)));
}

}  // namespace
}  // namespace stoker
