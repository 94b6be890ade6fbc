#include <stoker/transforms/normalize.hpp>

#include "tests/transforms/step_reader.hpp"
#include <stoker/core/error.hpp>

#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

const ChannelStatistics& statistics_of(const Step& step) {
  return dynamic_cast<const Normalize&>(*step).statistics();
}

TEST(Normalize, KnowsImageNet) {
  EXPECT_EQ(statistics_of(read_step("normalize(imagenet)")), imagenet_statistics);
  EXPECT_EQ(read_step("normalize(imagenet)")->text(),
            "normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])");
}

TEST(Normalize, TakesOneNumberForAllChannelsOrOneForEach) {
  const ChannelStatistics halves{{0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}};
  EXPECT_EQ(statistics_of(read_step("normalize(0.5, 0.25)")), halves);
  EXPECT_EQ(statistics_of(read_step("normalize(std=[0.25, 0.25, 0.25], mean=[0.5, 0.5, 0.5])")),
            halves);
  const ChannelStatistics each{{0.1, 0.2, 0.3}, {1, 2, -3}};
  EXPECT_EQ(statistics_of(read_step("normalize([0.1, 0.2, 0.3], [1, 2, -3])")), each);
}

TEST(Normalize, RefusesWhatFloat32CannotDivideBy) {
  for (const double std : {0.0, -0.0, 1e-60, 1e60}) {
    try {
      normalize({{0, 0, 0}, {1, std, 1}});
      ADD_FAILURE() << "took a std of " << std;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
  EXPECT_THROW(normalize({{1e60, 0, 0}, {1, 1, 1}}), Error);
}

}  // namespace
}  // namespace stoker::testing
