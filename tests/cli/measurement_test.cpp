#include "bench/measurement.hpp"

#include <gtest/gtest.h>

namespace stoker::bench {
namespace {

Measurement measured(std::initializer_list<double> seconds) {
  Measurement measurement;
  for (const double value : seconds) measurement.repetitions.push_back({100, value, value / 10, 1});
  return measurement;
}

double speed(const Repetition& repetition) { return repetition.images_per_second(); }

TEST(Measurement, TakesTheMiddleValueAsMedian) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(Measurement, GivesMediansOfItsRepetitions) {
  const Measurement measurement = measured({1, 4, 2});
  EXPECT_EQ(measurement.images_per_second(), 50);
  EXPECT_EQ(measurement.first_batch_seconds(), 0.2);
  EXPECT_EQ(measurement.cpu_seconds_per_image(), 0.01);
}

TEST(Measurement, ComparesRepetitionByRepetition) {
  // The machine was three times slower in the second round, for both.
  const Measurement fast = measured({1, 3, 1});
  const Measurement slow = measured({2, 6, 2});
  EXPECT_EQ(median_ratio(fast, slow, speed), 2);
}

}  // namespace
}  // namespace stoker::bench
