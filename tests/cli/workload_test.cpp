#include "bench/workload.hpp"

#include "tests/cli/run_command.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace stoker::bench {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(Workload, WalksTheFilesSeveralTimes) {
  const cli::TemporaryFolder folder;
  folder.copy_image("var_420.jpg", "a.jpg");
  folder.copy_image("var_444.jpg", "b.jpg");
  const auto files = open_data(folder.string());
  const auto source = repeated(files, 3);
  EXPECT_EQ(source->size(), 6U);
  EXPECT_EQ(source->name(5), files->name(1));
  EncodedSample sample;
  ASSERT_TRUE(source->read(4, sample));
  EXPECT_EQ(sample.bytes.size(), cli::content_of(folder / "a.jpg").size());
}

TEST(Workload, OrdersTheWholeEpoch) {
  const cli::TemporaryFolder folder;
  folder.copy_image("var_420.jpg", "a.jpg");
  Workload workload;
  workload.files = open_data(folder.string());
  workload.repeat = 3;
  std::vector<std::uint64_t> order(3);
  workload.sampler()->order(0, 0)->read(0, order);
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
  workload.shuffle = true;
  workload.sampler()->order(0, 0)->read(0, order);
  EXPECT_THAT(order, UnorderedElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace stoker::bench
