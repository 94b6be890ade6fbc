#include <stoker/samplers/random_sampler.hpp>

#include "tests/samplers/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stoker {
namespace {

TEST(RandomSampler, GivesTheOrdersOfTorchRandperm) {
  ASSERT_GE(goldens().at("randperm").size(), 20U);
  for (const auto& golden : goldens().at("randperm")) {
    const RandomSampler sampler(golden.at("n").get<std::uint64_t>());
    EXPECT_EQ(whole(*sampler.order(golden.at("seed").get<std::uint64_t>(), 0)),
              golden.at("indices").get<std::vector<std::uint64_t>>())
        << "n " << golden.at("n") << ", seed " << golden.at("seed");
  }
}

TEST(RandomSampler, GivesTheDigestsOfTorchRandpermForLargeSizes) {
  ASSERT_GE(goldens().at("randperm_sha256_int64le").size(), 15U);
  for (const auto& golden : goldens().at("randperm_sha256_int64le")) {
    const RandomSampler sampler(golden.at("n").get<std::uint64_t>());
    EXPECT_EQ(sha256(whole(*sampler.order(golden.at("seed").get<std::uint64_t>(), 0))),
              golden.at("sha256").get<std::string>())
        << "n " << golden.at("n") << ", seed " << golden.at("seed");
  }
}

TEST(RandomSampler, AddsTheEpochToTheSeed) {
  const RandomSampler sampler(1000);
  EXPECT_EQ(whole(*sampler.order(40, 2)), whole(*sampler.order(42, 0)));
  EXPECT_NE(whole(*sampler.order(40, 2)), whole(*sampler.order(40, 3)));
}

TEST(RandomSampler, WrapsSeedPlusEpochAt64Bits) {
  const RandomSampler sampler(1000);
  EXPECT_EQ(whole(*sampler.order(~std::uint64_t{0}, 3)), whole(*sampler.order(2, 0)));
}

TEST(RandomSampler, IsReadFromAnyPosition) {
  const RandomSampler sampler(100);
  EXPECT_EQ(sampler.size(), 100U);
  const auto order = sampler.order(1, 0);
  ASSERT_EQ(order->size(), 100U);
  const auto all = whole(*order);
  for (const std::uint64_t first : {0, 1, 37, 99, 100}) {
    std::vector<std::uint64_t> rest(100 - first);
    order->read(first, rest);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.end() - std::ssize(rest))) << first;
  }
}

TEST(RandomSampler, IsReadByManyThreadsAtOnce) {
  const auto order = RandomSampler(10'000).order(5, 1);
  const auto expected = whole(*order);
  std::array<std::vector<std::uint64_t>, 4> seen;
  {
    std::vector<std::jthread> threads;
    for (auto& indices : seen) threads.emplace_back([&] { indices = whole(*order); });
  }
  for (const auto& indices : seen) EXPECT_EQ(indices, expected);
}

TEST(RandomSampler, WithReplacementDrawsTheNumbersOfTorchRandint) {
  for (const auto& golden : goldens().at("randint")) {
    const auto expected = golden.at("values").get<Indices>();
    const RandomSampler sampler(golden.at("high").get<std::uint64_t>(),
                                {.replacement = true, .num_samples = expected.size()});
    EXPECT_EQ(sampler.size(), expected.size());
    const auto order = sampler.order(golden.at("seed").get<std::uint64_t>(), 0);
    EXPECT_EQ(whole(*order), expected) << golden;
  }
}

TEST(RandomSampler, WithReplacementDrawsAsManyAsTheSourceHasUnlessToldOtherwise) {
  const RandomSampler sampler(1000, {.replacement = true});
  const Indices indices = whole(*sampler.order(1, 0));
  EXPECT_EQ(indices.size(), 1000U);
  EXPECT_NE(sorted(indices), counted(1000));
}

TEST(RandomSampler, WithFewerSamplesTakesTheBeginningOfAPermutation) {
  Indices expected = whole(*RandomSampler(1000).order(4, 2));
  expected.resize(137);
  EXPECT_EQ(whole(*RandomSampler(1000, {.num_samples = 137}).order(4, 2)), expected);
}

TEST(RandomSampler, WithMoreSamplesTakesPermutationsFromOneRunningGenerator) {
  std::mt19937 generator(6);
  Indices expected;
  for (int pass = 0; pass < 3; ++pass) {
    Indices permutation = counted(700);
    for (std::size_t i = 0; i + 1 < 700; ++i) {
      std::swap(permutation[i], permutation[i + generator() % (700 - i)]);
    }
    expected.insert(expected.end(), permutation.begin(), permutation.end());
  }
  EXPECT_EQ(whole(*RandomSampler(700, {.num_samples = 2100}).order(4, 2)), expected);
  expected.resize(1500);
  EXPECT_EQ(whole(*RandomSampler(700, {.num_samples = 1500}).order(4, 2)), expected);
}

TEST(RandomSampler, IsReadableFromAnywhere) {
  expect_readable_from_anywhere(*RandomSampler(211).order(1, 0));
  expect_readable_from_anywhere(*RandomSampler(100, {.num_samples = 333}).order(1, 0));
}

TEST(RandomSampler, MayBeEmptyWithoutOptions) {
  EXPECT_EQ(RandomSampler(0).order(1, 1)->size(), 0U);
}

TEST(RandomSampler, RefusesNoSamplesToDrawFromAndNoneToDraw) {
  EXPECT_THAT(refusal(ErrorCode::empty_source, [] { RandomSampler(0, {.replacement = true}); }),
              testing::HasSubstr("no samples"));
  EXPECT_THAT(refusal(ErrorCode::invalid_argument, [] { RandomSampler(5, {.num_samples = 0}); }),
              testing::HasSubstr("num_samples must be at least 1"));
}

TEST(RandomSampler, SaysWhatItIs) {
  EXPECT_EQ(RandomSampler(1'281'167).text(), "random(size=1281167)");
  EXPECT_EQ(RandomSampler(10, {.num_samples = 10}).text(), "random(size=10)");
  EXPECT_EQ(RandomSampler(10, {.replacement = true}).text(),
            "random(size=10, replacement=true, num_samples=10)");
  EXPECT_EQ(RandomSampler(10, {.num_samples = 4}).text(),
            "random(size=10, replacement=false, num_samples=4)");
}

}  // namespace
}  // namespace stoker
