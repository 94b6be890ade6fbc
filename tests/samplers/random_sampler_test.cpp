#include <stoker/samplers/random_sampler.hpp>

#include "tests/samplers/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
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

TEST(RandomSampler, MayBeEmpty) { EXPECT_EQ(RandomSampler(0).order(1, 1)->size(), 0U); }

TEST(RandomSampler, SaysWhatItIs) {
  EXPECT_EQ(RandomSampler(1'281'167).text(), "random(size=1281167)");
}

}  // namespace
}  // namespace stoker
