#include "samplers/quota_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace stoker {
namespace {

using Weights = std::vector<double>;

std::vector<Weights> many_weights() {
  std::vector<Weights> all{{1},
                           {0, 3, 0},
                           {1, 1},
                           {0.3, 0.7},
                           {1, 1, 1},
                           {0.9, 0.05, 0.05},
                           {1e-9, 1},
                           {1e300, 1e300, 2e300},
                           {5e-324, 1e-323},
                           {0.1, 0.2, 0.3, 0.4}};
  all.push_back(Weights(1000, 1.0));
  Weights fibonacci{1, 1};
  while (fibonacci.size() < 40) {
    fibonacci.push_back(fibonacci.back() + fibonacci[fibonacci.size() - 2]);
  }
  all.push_back(fibonacci);
  Weights halves{1};
  while (halves.size() < 30) halves.push_back(halves.back() / 2);
  all.push_back(halves);
  return all;
}

double share(const Weights& weights, std::size_t source) {
  double sum = 0;
  for (const double weight : weights) sum += weight / weights[source];
  return 1 / sum;
}

TEST(QuotaTree, DividesAnyNumberOfPlacesWithinTwoOfTheExactShares) {
  for (const Weights& weights : many_weights()) {
    const QuotaTree tree(weights);
    std::vector<std::uint64_t> counts(weights.size());
    for (std::uint64_t n = 0; n < 100'000; n += n < 500 ? 1 : n / 7) {
      tree.counts(n, counts);
      std::uint64_t sum = 0;
      for (std::size_t source = 0; source < weights.size(); ++source) {
        sum += counts[source];
        if (weights[source] == 0) {
          ASSERT_EQ(counts[source], 0U);
          continue;
        }
        const double exact = static_cast<double>(n) * share(weights, source);
        ASSERT_LT(std::abs(static_cast<double>(counts[source]) - exact), 2)
            << testing::PrintToString(weights) << " source " << source << " of " << n;
      }
      ASSERT_EQ(sum, n);
    }
  }
}

TEST(QuotaTree, NeverTakesAPlaceBack) {
  for (const Weights& weights : many_weights()) {
    const QuotaTree tree(weights);
    std::vector<std::uint64_t> before(weights.size());
    std::vector<std::uint64_t> after(weights.size());
    for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
      tree.counts(from, before);
      for (std::uint64_t n = from + 1; n < from + 500; ++n) {
        tree.counts(n, after);
        for (std::size_t source = 0; source < weights.size(); ++source) {
          ASSERT_GE(after[source], before[source]);
        }
        before.swap(after);
      }
    }
  }
}

}  // namespace
}  // namespace stoker
