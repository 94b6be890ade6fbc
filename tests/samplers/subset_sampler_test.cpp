#include <stoker/samplers/subset_sampler.hpp>

#include "tests/samplers/orders.hpp"
#include <stoker/samplers/random_sampler.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

Indices some_indices(std::size_t count, std::uint64_t offset = 0) {
  Indices indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = offset + i * i % 1009;
  return indices;
}

// torch: `for i in torch.randperm(len(indices), generator=generator): yield indices[i]`.
TEST(SubsetSampler, ShufflesAsTorchsSubsetRandomSamplerDoes) {
  ASSERT_GE(goldens().at("randperm").size(), 20U);
  for (const auto& golden : goldens().at("randperm")) {
    const Indices given = some_indices(golden.at("n").get<std::size_t>());
    Indices expected;
    for (const auto i : golden.at("indices").get<Indices>()) expected.push_back(given[i]);
    const auto order = SubsetSampler(given).order(golden.at("seed").get<std::uint64_t>(), 0);
    EXPECT_EQ(whole(*order), expected);
  }
}

TEST(SubsetSampler, AddsTheEpochToTheSeed) {
  const SubsetSampler sampler(some_indices(50));
  EXPECT_EQ(whole(*sampler.order(1, 4)), whole(*sampler.order(5, 0)));
  EXPECT_NE(whole(*sampler.order(1, 4)), whole(*sampler.order(1, 5)));
}

TEST(SubsetSampler, KeepsTheGivenOrderWhereItIsNotToShuffle) {
  const Indices given{7, 3, 3, 100, 0};
  const SubsetSampler sampler(given, false);
  EXPECT_EQ(sampler.size(), 5U);
  EXPECT_EQ(whole(*sampler.order(1, 1)), given);
}

TEST(SubsetSampler, HoldsIndicesOfAnyWidth) {
  for (const std::uint64_t offset :
       {std::uint64_t{0xFFFFFFFF} - 1008, std::uint64_t{0xFFFFFFFF}, std::uint64_t{1} << 50}) {
    const Indices given = some_indices(1009, offset);
    EXPECT_EQ(whole(*SubsetSampler(given, false).order(0, 0)), given);
    EXPECT_EQ(sorted(whole(*SubsetSampler(given).order(0, 0))), sorted(given));
  }
}

TEST(SubsetSampler, ShufflesWideIndicesAsNarrowOnes) {
  const std::uint64_t offset = std::uint64_t{1} << 40;
  Indices narrow = whole(*SubsetSampler(some_indices(100)).order(3, 3));
  for (std::uint64_t& index : narrow) index += offset;
  EXPECT_EQ(whole(*SubsetSampler(some_indices(100, offset)).order(3, 3)), narrow);
}

TEST(SubsetSampler, KeepsItsIndicesWhileAnOrderLives) {
  const auto order = SubsetSampler(Indices{4, 2}, false).order(0, 0);
  EXPECT_EQ(whole(*order), (Indices{4, 2}));
}

TEST(SubsetSampler, IsReadableFromAnywhere) {
  expect_readable_from_anywhere(*SubsetSampler(some_indices(123)).order(1, 1));
  expect_readable_from_anywhere(*SubsetSampler(some_indices(123), false).order(1, 1));
}

TEST(SubsetSampler, SaysWhatItIs) {
  const std::string text = SubsetSampler(Indices{1, 2, 3}).text();
  EXPECT_THAT(text, MatchesRegex("subset\\(size=3, indices=[0-9a-f]{32}, shuffle=true\\)"));
  EXPECT_EQ(SubsetSampler(Indices{1, 2, 3}).text(), text);
  EXPECT_NE(SubsetSampler(Indices{1, 3, 2}).text(), text);
  EXPECT_NE(SubsetSampler(Indices{1, 2, 3}, false).text(), text);
}

TEST(SubsetSampler, RefusesASubsetOfNothing) {
  EXPECT_THAT(refusal(ErrorCode::empty_source, [] { SubsetSampler(Indices{}); }),
              HasSubstr("the subset has no indices"));
}

}  // namespace
}  // namespace stoker
