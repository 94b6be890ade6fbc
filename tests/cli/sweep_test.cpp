#include "bench/sweep.hpp"

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>

namespace stoker::bench {
namespace {

using testing::ElementsAre;

SweepPoint point(int value, double images_per_second) {
  SweepPoint result;
  result.value = value;
  result.measurement.repetitions.push_back({1, 1 / images_per_second, 0, 0});
  return result;
}

TEST(Sweep, ReadsNameAndValues) {
  const SweepVariable variable = parse_sweep("num_workers=1,2,16");
  EXPECT_EQ(variable.name, "num_workers");
  EXPECT_THAT(variable.values, ElementsAre(1, 2, 16));
}

TEST(Sweep, RefusesOtherForms) {
  for (const char* text : {"", "num_workers", "num_workers=", "num_workers=1,", "num_workers=1;2",
                           "num_workers=0", "num_workers=-1", "num_workers=two", "speed=1", "=1"}) {
    EXPECT_THROW(parse_sweep(text), Error) << text;
  }
}

TEST(Sweep, TakesTheSmallestValueNearTheBestAsKnee) {
  EXPECT_EQ(knee_of({point(1, 50), point(2, 97), point(4, 100)}), 2);
  EXPECT_EQ(knee_of({point(1, 50), point(2, 95), point(4, 100)}), 4);
  EXPECT_EQ(knee_of({point(4, 100), point(8, 90), point(2, 99)}), 2) << "in any order";
}

}  // namespace
}  // namespace stoker::bench
