#include <stoker/samplers/mixture_sampler.hpp>

#include "tests/samplers/chi_square.hpp"
#include "tests/samplers/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace stoker {
namespace {

using testing::HasSubstr;

using Sizes = std::vector<std::uint64_t>;
using Weights = std::vector<double>;

const Sizes three_sizes{1000, 50, 200};
const Weights three_weights{0.5, 0.2, 0.3};

std::size_t source_of(const Sizes& sizes, std::uint64_t index) {
  std::size_t source = 0;
  while (index >= sizes[source]) index -= sizes[source++];
  return source;
}

/// The samples of one source in the order in which they come, counted from the source's own first.
Indices samples_of(const Indices& order, std::uint64_t start, std::uint64_t size) {
  Indices result;
  for (const std::uint64_t index : order) {
    if (index >= start && index < start + size) result.push_back(index - start);
  }
  return result;
}

TEST(MixtureSampler, HoldsItsProportionsToWithinTwoSamplesAtEveryBlock) {
  const MixtureSampler sampler(three_sizes, three_weights, 10'000);
  const Indices order = whole(*sampler.order(1, 0));
  ASSERT_EQ(order.size(), 10'000U);
  Counts counts(3);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ++counts[source_of(three_sizes, order[i])];
    if ((i + 1) % MixtureSampler::block_size != 0 && i + 1 != order.size()) continue;
    for (std::size_t source = 0; source < 3; ++source) {
      EXPECT_LT(std::abs(counts[source] - static_cast<double>(i + 1) * three_weights[source]), 2);
    }
  }
}

TEST(MixtureSampler, VisitsASourceWithoutRepetitionUntilItIsExhaustedAndThenInAnotherOrder) {
  const Indices order = whole(*MixtureSampler(three_sizes, three_weights, 10'000).order(1, 0));
  const Indices second = samples_of(order, 1000, 50);
  ASSERT_GT(second.size(), 1900U);
  std::set<Indices> passes;
  for (std::size_t first = 0; first + 50 <= second.size(); first += 50) {
    const auto begin = second.begin() + std::ptrdiff_t(first);
    const Indices pass(begin, begin + 50);
    EXPECT_EQ(sorted(pass), counted(50));
    EXPECT_TRUE(passes.insert(pass).second);
  }
}

TEST(MixtureSampler, BeginsASourceInAnotherOrderInEveryEpoch) {
  const MixtureSampler sampler({1000, 1000}, Weights{1, 1}, 1000);
  const Indices first = whole(*sampler.order(1, 0));
  const Indices second = whole(*sampler.order(1, 1));
  EXPECT_NE(samples_of(first, 0, 1000), samples_of(second, 0, 1000));
  EXPECT_NE(samples_of(first, 0, 1000), samples_of(first, 1000, 1000));
  EXPECT_NE(whole(*sampler.order(2, 0)), first);
  EXPECT_EQ(whole(*sampler.order(1, 0)), first);
}

// How often each place of a block is the first source's: 256 bins of fixed sum, 255 degrees.
TEST(MixtureSampler, ShufflesTheSourcesWithinABlock) {
  const Indices order = whole(*MixtureSampler({100, 100}, Weights{1, 1}, 4000 * 256).order(3, 0));
  Counts counts(256);
  for (std::size_t i = 0; i < order.size(); ++i) counts[i % 256] += order[i] < 100 ? 1 : 0;
  // Of a place's 4,000 draws half are the source's: their variance is half of a Poisson count's.
  double statistic = 0;
  for (const double count : counts) statistic += (count - 2000) * (count - 2000) / 1000;
  EXPECT_LT(statistic, chi_square_quantile(255, 3.09));
  EXPECT_GT(statistic, chi_square_quantile(255, -3.09));
}

TEST(MixtureSampler, ChangesItsWeightsWithTheEpoch) {
  const MixtureSampler sampler({10, 10}, {{0, {1, 0}}, {3, {1, 3}}, {5, {0, 1}}}, 400);
  const auto of_first = [&](std::uint64_t epoch) {
    return samples_of(whole(*sampler.order(1, epoch)), 0, 10).size();
  };
  EXPECT_EQ(of_first(0), 400U);
  EXPECT_EQ(of_first(2), 400U);
  EXPECT_EQ(of_first(3), 100U);
  EXPECT_EQ(of_first(4), 100U);
  EXPECT_EQ(of_first(5), 0U);
  EXPECT_EQ(of_first(1000), 0U);
}

TEST(MixtureSampler, IsReadableFromAnywhere) {
  expect_readable_from_anywhere(*MixtureSampler(three_sizes, three_weights, 1003).order(1, 1));
}

TEST(MixtureSampler, IsReadAtPositionsThatNoMemoryHolds) {
  const std::uint64_t many = std::uint64_t{1} << 60;
  const MixtureSampler sampler({many, 3}, Weights{1, 1}, many);
  const auto order = sampler.order(1, 1);
  Indices end(512);
  order->read(many - 512, end);
  EXPECT_LT(std::ranges::max(end), many + 3);
  EXPECT_EQ(samples_of(end, many, 3).size(), 256U);
}

TEST(MixtureSampler, NeverChangesItsOrder) {
  EXPECT_EQ(sha256(whole(*MixtureSampler(three_sizes, three_weights, 5000).order(42, 3))),
            "f81e6c482722c5c7db2c0c5a1c88b6b366a934250accce0b0e1f278db809e991");
}

TEST(MixtureSampler, SaysWhatItIs) {
  EXPECT_EQ(MixtureSampler({10, 20}, {{0, {0.5, 0.5}}, {4, {0.1, 3}}}, 7).text(),
            "mixture(sizes=[10, 20], weights={0: [0.5, 0.5], 4: [0.1, 3]}, num_samples=7)");
}

TEST(MixtureSampler, RefusesSourcesAndWeightsThatDoNotFit) {
  const auto code = ErrorCode::invalid_argument;
  const auto weighted = [](const Weights& weights) { MixtureSampler({1, 2}, weights, 10); };
  EXPECT_THAT(refusal(code, [&] { weighted({1}); }), HasSubstr("1 weights from epoch 0 on for 2"));
  EXPECT_THAT(refusal(code, [&] { weighted({1, -1}); }), HasSubstr("source 1 is -1"));
  EXPECT_THAT(refusal(code, [&] { weighted({std::nan(""), 1}); }), HasSubstr("source 0 is nan"));
  EXPECT_THAT(refusal(code, [&] { weighted({0, 0}); }), HasSubstr("all weights are zero"));
  EXPECT_THAT(refusal(code,
                      [] {
                        MixtureSampler({1, 2}, Weights{1, 1}, 0);
                      }),
              HasSubstr("num_samples"));
  EXPECT_THAT(refusal(ErrorCode::empty_source, [] { MixtureSampler({}, Weights{}, 5); }),
              HasSubstr("no sources"));
  EXPECT_THAT(refusal(ErrorCode::empty_source,
                      [] {
                        MixtureSampler({3, 0}, Weights{1, 1}, 5);
                      }),
              HasSubstr("source 1 has no samples"));
}

TEST(MixtureSampler, RefusesAScheduleWithoutABeginningOrOrder) {
  const auto code = ErrorCode::invalid_argument;
  using Schedule = std::vector<MixtureWeights>;
  const auto scheduled = [](const Schedule& schedule) { MixtureSampler({1}, schedule, 10); };
  EXPECT_THAT(refusal(code, [&] { scheduled({}); }), HasSubstr("begin at epoch 0"));
  EXPECT_THAT(refusal(code, [&] { scheduled({{1, {1}}}); }), HasSubstr("begin at epoch 0"));
  EXPECT_THAT(refusal(code,
                      [&] {
                        scheduled({{0, {1}}, {5, {1}}, {5, {2}}});
                      }),
              HasSubstr("5 comes behind 5"));
}

}  // namespace
}  // namespace stoker
