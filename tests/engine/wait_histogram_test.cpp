#include "src/engine/wait_histogram.hpp"

#include <gtest/gtest.h>

namespace stoker {
namespace {

using std::chrono::nanoseconds;

TEST(WaitHistogram, PercentilesAreWithinAThirtySecond) {
  WaitHistogram histogram;
  for (int i = 1; i <= 100000; ++i) histogram.add(nanoseconds(i * 10));
  const WaitStats stats = histogram.stats();
  EXPECT_EQ(stats.count, 100000U);
  EXPECT_EQ(stats.max, nanoseconds(1000000));
  EXPECT_NEAR(static_cast<double>(stats.p50.count()), 500000, 500000 / 32.0);
  EXPECT_NEAR(static_cast<double>(stats.p90.count()), 900000, 900000 / 32.0);
  EXPECT_NEAR(static_cast<double>(stats.p99.count()), 990000, 990000 / 32.0);
  EXPECT_EQ(stats.total, nanoseconds(100000LL * 100001 / 2 * 10));
}

TEST(WaitHistogram, TakesTheSmallestAndTheLargest) {
  WaitHistogram histogram;
  histogram.add(nanoseconds(0));
  EXPECT_EQ(histogram.stats().p99, nanoseconds(0));
  histogram.add(nanoseconds(-5));
  histogram.add(nanoseconds::max());
  EXPECT_EQ(histogram.stats().count, 3U);
  EXPECT_EQ(histogram.stats().max, nanoseconds::max());
  EXPECT_GE(histogram.stats().p99, nanoseconds::max() - nanoseconds::max() / 32);
  histogram.reset();
  EXPECT_EQ(histogram.stats().count, 0U);
  EXPECT_EQ(histogram.stats().p50, nanoseconds(0));
}

}  // namespace
}  // namespace stoker
