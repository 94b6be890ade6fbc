#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace stoker {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> read(const Order& order, std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> indices(count);
  order.read(first, indices);
  return indices;
}

TEST(SequentialSampler, VisitsTheSourceInItsOwnOrderInEveryEpoch) {
  const SequentialSampler sampler(5);
  EXPECT_EQ(sampler.size(), 5U);
  for (const std::uint64_t epoch : {0, 1, 7}) {
    const auto order = sampler.order(42, epoch);
    EXPECT_EQ(order->size(), 5U);
    EXPECT_THAT(read(*order, 0, 5), ElementsAre(0, 1, 2, 3, 4));
  }
}

TEST(SequentialSampler, IsReadFromAnyPositionWithoutMemory) {
  const std::uint64_t size = std::uint64_t{1} << 50;
  const auto order = SequentialSampler(size).order(0, 0);
  EXPECT_THAT(read(*order, size - 2, 2), ElementsAre(size - 2, size - 1));
}

TEST(SequentialSampler, MayBeEmpty) { EXPECT_EQ(SequentialSampler(0).order(0, 0)->size(), 0U); }

TEST(SequentialSampler, SaysWhatItIs) {
  EXPECT_EQ(SequentialSampler(12).text(), "sequential(size=12)");
}

}  // namespace
}  // namespace stoker
