#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stoker {

using Counts = std::vector<double>;

/// Returns the quantile of the chi-square distribution that lies `deviations` standard deviations
/// of the normal distribution from its middle, to a few parts in a thousand from 3 degrees of
/// freedom on. Source: Wilson and Hilferty, "The distribution of chi-square", PNAS 17 (1931).
inline double chi_square_quantile(std::size_t degrees, double deviations) {
  const double part = 2.0 / (9.0 * static_cast<double>(degrees));
  return static_cast<double>(degrees) * std::pow(1 - part + deviations * std::sqrt(part), 3);
}

/// Holds Pearson's statistic below what a right distribution exceeds once in a thousand runs
/// (3.09 deviations), and above what it falls short of as seldom: counts that are too even are no
/// chance either. Seeds are fixed, so what passes goes on passing.
inline void expect_chance(const Counts& counts, const Counts& expected, std::size_t degrees) {
  ASSERT_EQ(counts.size(), expected.size());
  double statistic = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] == 0) {
      EXPECT_EQ(counts[i], 0) << "bin " << i << " cannot occur";
      continue;
    }
    const double difference = counts[i] - expected[i];
    statistic += difference * difference / expected[i];
  }
  EXPECT_LT(statistic, chi_square_quantile(degrees, 3.09)) << degrees << " degrees of freedom";
  if (degrees < 30) return;
  EXPECT_GT(statistic, chi_square_quantile(degrees, -3.09));
}

/// The same against equal counts.
inline void expect_chance(const Counts& counts, std::size_t degrees) {
  double total = 0;
  for (const double count : counts) total += count;
  expect_chance(counts, Counts(counts.size(), total / static_cast<double>(counts.size())), degrees);
}

}  // namespace stoker
