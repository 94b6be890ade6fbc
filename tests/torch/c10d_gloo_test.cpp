#include "tests/error_of.hpp"
#include "tests/torch/c10d_meeting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <string>
#include <vector>

namespace stoker::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using torch::ProcessGroupCommunicator;

TEST(GlooCommunicator, SharesTheGroupWithTheProgramsOwnCollectives) {
  const StoreFile file("shared");
  const auto thrown = on_threads(3, [&](std::uint64_t rank) {
    const c10::intrusive_ptr<c10d::ProcessGroupGloo> group =
        gloo_group(file_store(file.path()), rank, 3);
    ProcessGroupCommunicator communicator(group);
    std::vector<at::Tensor> sum{at::full({4}, static_cast<double>(rank))};
    const auto work = group->allreduce(sum);
    const std::string name = std::to_string(rank);
    EXPECT_THAT(communicator.all_gather(name), ElementsAre("0", "1", "2"));
    work->wait();
    EXPECT_TRUE(sum.front().equal(at::full({4}, 3.0)));
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST(GlooCommunicator, WaitsForARankThatNeverComesAsLongAsTheGroupDoes) {
  const StoreFile file("impatient");
  std::promise<void> failed;
  const auto thrown = on_threads(2, [&](std::uint64_t rank) {
    const auto group = gloo_group(file_store(file.path()), rank, 2);
    if (rank == 1) return failed.get_future().wait();  // is there, but never calls
    ProcessGroupCommunicator communicator(group);
    group->wait_no_longer_than(impatient);
    EXPECT_THAT(error_of([&] { communicator.all_gather("x"); }, ErrorCode::communication_error),
                HasSubstr("imed out"));
    failed.set_value();
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST(GlooCommunicator, FailsAtOnceWhereAnotherRankHasLeft) {
  const StoreFile file("left");
  const auto thrown = on_threads(2, [&](std::uint64_t rank) {
    auto group = gloo_group(file_store(file.path()), rank, 2);
    if (rank == 1) return;
    ProcessGroupCommunicator communicator(group);
    EXPECT_THAT(error_of([&] { communicator.all_gather("x"); }, ErrorCode::communication_error),
                HasSubstr("did not gather"));
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

}  // namespace
}  // namespace stoker::testing
