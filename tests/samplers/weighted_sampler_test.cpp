#include <stoker/samplers/weighted_sampler.hpp>

#include "tests/samplers/chi_square.hpp"
#include "tests/samplers/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

using Weights = std::vector<double>;

double sum_of(const Weights& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  return sum;
}

Counts how_often(const WeightedSampler& sampler, std::size_t bins, std::uint64_t epochs) {
  Counts counts(bins);
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const auto index : whole(*sampler.order(5, epoch))) ++counts.at(index);
  }
  return counts;
}

Counts expected(const Weights& weights, double draws) {
  Counts result;
  for (const double weight : weights) result.push_back(draws * weight / sum_of(weights));
  return result;
}

Weights uneven_weights(std::size_t count) {
  Weights weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = static_cast<double>(1 + i * i % 37);
  return weights;
}

// Degrees of freedom: positive weights less one.
TEST(WeightedSampler, WithReplacementDrawsInProportionToTheWeights) {
  const std::pair<Weights, std::size_t> cases[] = {
      {{1, 1}, 1},         {{3, 1}, 1},          {{0, 1, 0}, 0},
      {{1, 2, 3, 4}, 3},   {{0, 5, 0, 1, 0}, 1}, {{1e-300, 2e-300, 3e-300}, 2},
      {{1e300, 3e300}, 1}, {{100, 1, 1, 1}, 3},  {uneven_weights(100), 99},
  };
  for (const auto& [weights, degrees] : cases) {
    const WeightedSampler sampler(weights, 100'000);
    const Counts counts = how_often(sampler, weights.size(), 2);
    SCOPED_TRACE(testing::PrintToString(weights));
    if (degrees > 0) expect_chance(counts, expected(weights, 200'000), degrees);
  }
}

TEST(WeightedSampler, WithReplacementDrawsPairsIndependently) {
  const Weights weights{1, 2, 3, 4};
  const Indices order = whole(*WeightedSampler(weights, 400'000).order(9, 1));
  Counts counts(16);
  Counts wanted(16);
  for (std::size_t i = 0; i < order.size(); i += 2) ++counts[order[i] * 4 + order[i + 1]];
  for (std::size_t bin = 0; bin < 16; ++bin) {
    wanted[bin] = 200'000 * weights[bin / 4] * weights[bin % 4] / 100;
  }
  expect_chance(counts, wanted, 15);
}

TEST(WeightedSampler, NeverDrawsASampleOfWeightZero) {
  Weights weights = uneven_weights(1000);
  for (std::size_t i = 0; i < weights.size(); i += 3) weights[i] = 0;
  for (const bool replacement : {true, false}) {
    const WeightedSampler sampler(weights, 666, replacement);
    const Counts counts = how_often(sampler, weights.size(), 200);
    for (std::size_t i = 0; i < weights.size(); i += 3) EXPECT_EQ(counts[i], 0) << i;
  }
}

// The first draw follows the weights, the second the weights of the three left.
TEST(WeightedSampler, WithoutReplacementDrawsEachTimeAmongThoseLeft) {
  const Weights weights{1, 2, 3, 4};
  const WeightedSampler sampler(weights, 2, false);
  Counts counts(16);
  Counts wanted(16);
  constexpr int draws = 100'000;
  for (std::uint64_t epoch = 0; epoch < draws; ++epoch) {
    const Indices order = whole(*sampler.order(2, epoch));
    ++counts[order[0] * 4 + order[1]];
  }
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      if (a != b) wanted[a * 4 + b] = draws * weights[a] / 10 * weights[b] / (10 - weights[a]);
    }
  }
  expect_chance(counts, wanted, 11);
}

TEST(WeightedSampler, WithoutReplacementDrawsNoSampleTwice) {
  const Weights weights = uneven_weights(500);
  const auto order = WeightedSampler(weights, 500, false).order(1, 1);
  EXPECT_EQ(sorted(whole(*order)), counted(500));
}

TEST(WeightedSampler, WithoutReplacementFewerSamplesAreTheBeginningOfMore) {
  const Weights weights = uneven_weights(500);
  Indices all = whole(*WeightedSampler(weights, 500, false).order(1, 1));
  all.resize(123);
  EXPECT_EQ(whole(*WeightedSampler(weights, 123, false).order(1, 1)), all);
}

TEST(WeightedSampler, WithoutReplacementTakesWeightsOfAnySize) {
  const Weights tiny{5e-324, 1e-310, 2e-310};
  const Weights mixed{1e-135, 1, 1e-135, 1e135};
  EXPECT_EQ(sorted(whole(*WeightedSampler(tiny, 3, false).order(0, 0))), counted(3));
  const Indices order = whole(*WeightedSampler(mixed, 4, false).order(0, 0));
  EXPECT_EQ(order[0], 3U);
  EXPECT_EQ(order[1], 1U);
  EXPECT_THROW(WeightedSampler(Weights{1e300, 1e-20, 1e-20}, 3, false), Error);
}

TEST(WeightedSampler, DrawsTheSameForFloatsAndDoublesOfTheSameValue) {
  const std::vector<float> floats{0.25F, 0.5F, 3.0F, 0.125F};
  const Weights doubles(floats.begin(), floats.end());
  for (const bool replacement : {true, false}) {
    const WeightedSampler from_floats(floats, 4, replacement);
    const WeightedSampler from_doubles(doubles, 4, replacement);
    EXPECT_EQ(whole(*from_floats.order(1, 2)), whole(*from_doubles.order(1, 2)));
    EXPECT_EQ(from_floats.text(), from_doubles.text());
  }
}

TEST(WeightedSampler, DependsOnSeedAndEpochAlone) {
  const Weights weights = uneven_weights(50);
  for (const bool replacement : {true, false}) {
    const WeightedSampler sampler(weights, 50, replacement);
    const Indices order = whole(*sampler.order(1, 2));
    EXPECT_EQ(whole(*WeightedSampler(weights, 50, replacement).order(1, 2)), order);
    EXPECT_NE(whole(*sampler.order(2, 1)), order);
    EXPECT_NE(whole(*sampler.order(1, 3)), order);
  }
}

// Saved states say a position in these orders: they may never change.
TEST(WeightedSampler, NeverChangesItsOrders) {
  const Weights weights = uneven_weights(1000);
  Indices drawn = whole(*WeightedSampler(weights, 5000).order(42, 3));
  EXPECT_EQ(sha256(drawn), "c1a273d2efe0929511ec6392a865193daaf22aa13333ebbfa4beada3825f46e9");
  drawn = whole(*WeightedSampler(weights, 1000, false).order(42, 3));
  EXPECT_EQ(sha256(drawn), "0b743dfa4b4713abb27f80af7e36122ce3394aefa2f77f9abfac2b0eb3b75322");
}

TEST(WeightedSampler, IsReadableFromAnywhere) {
  expect_readable_from_anywhere(*WeightedSampler(uneven_weights(20), 321).order(1, 1));
  expect_readable_from_anywhere(*WeightedSampler(uneven_weights(321), 300, false).order(1, 1));
}

TEST(WeightedSampler, SaysWhatItIs) {
  const std::string text = WeightedSampler(Weights{1, 2}, 7).text();
  EXPECT_THAT(text, MatchesRegex("weighted\\(size=2, weights=[0-9a-f]{32}, num_samples=7, "
                                 "replacement=true\\)"));
  EXPECT_NE(WeightedSampler(Weights{2, 1}, 7).text(), text);
  EXPECT_NE(WeightedSampler(Weights{1, 2}, 8).text(), text);
}

TEST(WeightedSampler, RefusesWeightsThatSayNothing) {
  const auto code = ErrorCode::invalid_argument;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](const Weights& weights) { WeightedSampler(weights, 1); };
  EXPECT_THAT(refusal(code,
                      [&] {
                        refused({1, -0.5});
                      }),
              HasSubstr("weight 1 is -0.5; weights must be finite and not negative"));
  EXPECT_THAT(refusal(code, [&] { refused({nan}); }), HasSubstr("weight 0 is nan"));
  EXPECT_THAT(refusal(code, [&] { refused({1, 2, infinity}); }), HasSubstr("weight 2 is inf"));
  EXPECT_THAT(refusal(code, [&] { refused({0, 0}); }), HasSubstr("all weights are zero"));
  EXPECT_THAT(refusal(code, [&] { refused({1.7e308, 1.7e308}); }), HasSubstr("sum"));
  EXPECT_THAT(refusal(ErrorCode::empty_source, [&] { refused({}); }), HasSubstr("no weights"));
}

TEST(WeightedSampler, RefusesANumberOfSamplesThatCannotBeDrawn) {
  const auto code = ErrorCode::invalid_argument;
  const Weights weights{1, 0, 2};
  EXPECT_THAT(refusal(code, [&] { WeightedSampler(weights, 0); }), HasSubstr("at least 1"));
  EXPECT_THAT(refusal(code, [&] { WeightedSampler(weights, 3, false); }),
              HasSubstr("num_samples is 3, but without replacement only the 2 samples"));
  EXPECT_NO_THROW(WeightedSampler(weights, 2, false));
  EXPECT_NO_THROW(WeightedSampler(weights, 100));
}

}  // namespace
}  // namespace stoker
