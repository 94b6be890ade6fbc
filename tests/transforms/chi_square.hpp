#pragma once

#include <cstddef>
#include <vector>

namespace stoker::testing {

/// Counts draws in bins of equal probability.
class Histogram {
 public:
  explicit Histogram(std::size_t bins) : counts_(bins, 0) {}

  void add(std::size_t bin) { ++counts_.at(bin); }
  /// Adds a number of [0, 1].
  void add_fraction(double value) {
    const auto bin = static_cast<std::size_t>(value * static_cast<double>(counts_.size()));
    add(bin < counts_.size() ? bin : counts_.size() - 1);
  }

  /// Pearson's statistic against equal counts; its mean is the number of bins less one.
  double chi_square() const {
    double total = 0;
    for (const double count : counts_) total += count;
    const double expected = total / static_cast<double>(counts_.size());
    double sum = 0;
    for (const double count : counts_) sum += (count - expected) * (count - expected) / expected;
    return sum;
  }

 private:
  std::vector<double> counts_;
};

// A right distribution exceeds these with probability 0.001; seeds are fixed, so a test that passes
// goes on passing. Source: quantiles of the chi-square distribution.
inline constexpr double chi_square_limit_1 = 10.83;
inline constexpr double chi_square_limit_9 = 27.88;
inline constexpr double chi_square_limit_24 = 51.18;

}  // namespace stoker::testing
