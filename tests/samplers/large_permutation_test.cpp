#include <stoker/samplers/large_permutation.hpp>

#include "tests/samplers/chi_square.hpp"
#include "tests/samplers/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t hundred_billion = 100'000'000'000;

Indices read(const Order& order, std::uint64_t first, std::size_t count) {
  Indices indices(count);
  order.read(first, indices);
  return indices;
}

/// In which of `bins` equal parts of [0, size) an index lies.
std::size_t bin(std::uint64_t index, std::uint64_t size, std::size_t bins) {
  return static_cast<std::size_t>(static_cast<double>(index) / static_cast<double>(size) *
                                  static_cast<double>(bins));
}

TEST(LargePermutation, VisitsEverySampleOnceAndOtherwiseInEveryEpoch) {
  const LargePermutation sampler(12'345);
  EXPECT_EQ(sampler.size(), 12'345U);
  const Indices first = whole(*sampler.order(3, 0));
  const Indices second = whole(*sampler.order(3, 1));
  EXPECT_EQ(sorted(first), counted(12'345));
  EXPECT_EQ(sorted(second), counted(12'345));
  EXPECT_NE(first, second);
  EXPECT_NE(first, whole(*sampler.order(4, 0)));
  EXPECT_NE(second, whole(*sampler.order(4, 0)));  // not a function of seed + epoch alone
  EXPECT_EQ(first, whole(*sampler.order(3, 0)));
}

TEST(LargePermutation, IsReadableFromAnywhere) {
  expect_readable_from_anywhere(*LargePermutation(1009).order(1, 2));
}

// 64 x 64 bins of position and index, whose sums over rows and columns are fixed: 63^2 degrees.
TEST(LargePermutation, PassesTheChiSquareTestOfPositions) {
  constexpr std::uint64_t size = 1'000'000;
  for (const std::uint64_t seed : {0, 1, 42}) {
    const Indices order = whole(*LargePermutation(size).order(seed, 0));
    Counts counts(64 * 64);
    for (std::uint64_t i = 0; i < size; ++i) {
      ++counts[bin(i, size, 64) * 64 + bin(order[i], size, 64)];
    }
    expect_chance(counts, 63 * 63);
  }
}

// 64 x 64 bins of an index and the one behind it, without overlap: 64^2 - 1 degrees, of which the
// fixed sums over bins of a whole permutation take next to nothing at 2^19 pairs among 10^11.
TEST(LargePermutation, PassesTheChiSquareTestOfAdjacentPairs) {
  for (const std::uint64_t seed : {0, 1, 42}) {
    const auto order = LargePermutation(hundred_billion).order(seed, 3);
    for (const std::uint64_t first : {std::uint64_t{0}, hundred_billion / 2}) {
      const Indices part = read(*order, first, std::size_t{1} << 20);
      Counts high(64 * 64);
      Counts low(64 * 64);
      for (std::size_t i = 0; i < part.size(); i += 2) {
        ++high[bin(part[i], hundred_billion, 64) * 64 + bin(part[i + 1], hundred_billion, 64)];
        ++low[part[i] % 64 * 64 + part[i + 1] % 64];
      }
      expect_chance(high, 64 * 64 - 1);
      expect_chance(low, 64 * 64 - 1);
    }
  }
}

// The distance to the next index, modulo 4096: 4095 degrees.
TEST(LargePermutation, PassesTheChiSquareTestOfAdjacentDifferences) {
  for (const std::uint64_t stride : {1, 2, 1000, 316'228}) {  // the last: as many rows as it has
    Indices part(std::size_t{1} << 20);
    LargePermutation(hundred_billion).order(5, 0)->read(1234, stride, part);
    Counts counts(4096);
    for (std::size_t i = 0; i + 1 < part.size(); i += 2) ++counts[(part[i + 1] - part[i]) % 4096];
    expect_chance(counts, 4095);
  }
}

// Saved states say a position in this order: it may never change.
TEST(LargePermutation, NeverChangesItsOrder) {
  EXPECT_THAT(whole(*LargePermutation(10).order(0, 0)), ElementsAre(4, 0, 6, 5, 7, 3, 8, 2, 1, 9));
  EXPECT_THAT(read(*LargePermutation(1'281'167).order(42, 1), 0, 4),
              ElementsAre(573576, 428145, 1250201, 176221));
  EXPECT_THAT(read(*LargePermutation(10'000).order(42, 1), 5000, 4),
              ElementsAre(7440, 8019, 3444, 2867));
  EXPECT_THAT(read(*LargePermutation(hundred_billion).order(42, 7), hundred_billion - 4, 4),
              ElementsAre(22055919758, 48866890716, 86574671946, 37413573686));
}

TEST(LargePermutation, TakesTheWholeRangeOfSeedsAndEpochs) {
  const LargePermutation sampler(1000);
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(sorted(whole(*sampler.order(most, most))), counted(1000));
  EXPECT_NE(whole(*sampler.order(most, most)), whole(*sampler.order(most, most - 1)));
}

TEST(LargePermutation, RefusesAnEmptySourceAndOneBeyondItsRange) {
  EXPECT_THAT(refusal(ErrorCode::empty_source, [] { LargePermutation(0); }),
              HasSubstr("no samples"));
  EXPECT_THAT(
      refusal(ErrorCode::invalid_argument, [] { LargePermutation((std::uint64_t{1} << 62) + 1); }),
      HasSubstr("4611686018427387904 samples at most"));
}

TEST(LargePermutation, SaysWhatItIs) {
  EXPECT_EQ(LargePermutation(hundred_billion).text(), "large_permutation(size=100000000000)");
}

}  // namespace
}  // namespace stoker
