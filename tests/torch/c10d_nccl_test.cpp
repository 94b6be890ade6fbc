// Needs a GPU a rank: as many as there are, at most two.
#include "tests/error_of.hpp"
#include "tests/torch/c10d_meeting.hpp"
#include <stoker/distributed/agreement.hpp>

#include <c10/cuda/CUDAFunctions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stoker::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using torch::ProcessGroupCommunicator;

class NcclCommunicator : public ::testing::Test {
 protected:
  void SetUp() override {
    world_size = std::min<std::uint64_t>(c10::cuda::device_count(), 2);
    if (world_size == 0) GTEST_SKIP() << "no CUDA device";
  }

  c10::intrusive_ptr<c10d::ProcessGroupNCCL> join(std::uint64_t rank) const {
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, static_cast<int>(rank),
                                                       static_cast<int>(world_size));
  }

  static at::Device gpu_of(std::uint64_t rank) {
    return {at::kCUDA, static_cast<c10::DeviceIndex>(rank)};
  }

  std::uint64_t world_size = 0;
  c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
};

TEST_F(NcclCommunicator, GathersAnyBytesOfAnyLength) {
  const auto message = [](std::uint64_t rank) {
    return rank == 0 ? "" : std::string(100'000, '\xff') + '\0';
  };
  const auto thrown = on_threads(world_size, [&](std::uint64_t rank) {
    ProcessGroupCommunicator communicator(join(rank), gpu_of(rank));
    const auto all = communicator.all_gather(message(rank));
    ASSERT_EQ(all.size(), world_size);
    for (std::size_t other = 0; other < world_size; ++other)
      EXPECT_TRUE(all[other] == message(other)) << other;
    EXPECT_THAT(communicator.all_gather("x"), Each("x"));
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST_F(NcclCommunicator, TakesAProcessGroupThatIsMadeOfIt) {
  const auto thrown = on_threads(world_size, [&](std::uint64_t rank) {
    const auto group = c10::make_intrusive<c10d::ProcessGroup>(store, static_cast<int>(rank),
                                                               static_cast<int>(world_size));
    group->setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::NCCL, join(rank));
    ProcessGroupCommunicator communicator(group, gpu_of(rank));
    agree(communicator, {.facts = {{"seed", "42"}}, .data = DataRanks{rank, world_size}});
    const std::string where = std::to_string(rank);
    agree(communicator, {.facts = {{"gpu", where}}});
  });
  if (world_size > 1)
    EXPECT_THAT(thrown, Each("ranks_disagree: gpu: rank 0 has \"0\", rank 1 has \"1\""));
  else
    EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST_F(NcclCommunicator, SaysThatItWantsNoTensorsOnTheHost) {
  ProcessGroupCommunicator communicator(c10::make_intrusive<c10d::ProcessGroupNCCL>(store, 0, 1));
  EXPECT_THAT(error_of([&] { communicator.all_gather("x"); }, ErrorCode::communication_error),
              HasSubstr("CUDA"));
}

}  // namespace
}  // namespace stoker::testing
