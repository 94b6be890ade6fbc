#include <stoker/torch/c10d.hpp>

#include "tests/engine/fake_producer.hpp"
#include "tests/error_of.hpp"
#include "tests/torch/c10d_meeting.hpp"
#include <stoker/distributed/agreement.hpp>
#include <stoker/distributed/mesh.hpp>
#include <stoker/engine/loader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class C10dCommunicator : public ::testing::TestWithParam<std::string> {};

TEST_P(C10dCommunicator, KnowsRankAndWorldSize) {
  const Join join = meeting(GetParam(), 3);
  const auto thrown = on_threads(3, [&](std::uint64_t rank) {
    const auto communicator = join(rank);
    EXPECT_EQ(communicator->rank(), rank);
    EXPECT_EQ(communicator->world_size(), 3U);
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST_P(C10dCommunicator, GathersAnyBytesOfAnyLengthInRankOrder) {
  const auto message = [](std::uint64_t rank) {
    return rank == 0 ? "" : std::string(rank * 100'000, static_cast<char>(rank)) + '\0' + "\xff\n";
  };
  const auto thrown = on_ranks(GetParam(), 3, [&](const auto& communicator) {
    for (int round = 0; round < 3; ++round) {
      const auto all = communicator->all_gather(message(communicator->rank()));
      ASSERT_EQ(all.size(), 3U);
      for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_TRUE(all[rank] == message(rank)) << rank;
    }
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST_P(C10dCommunicator, GathersWhereAllHaveNothingToSay) {
  const auto thrown = on_ranks(GetParam(), 2, [](const auto& communicator) {
    EXPECT_THAT(communicator->all_gather(""), ElementsAre("", ""));
    EXPECT_THAT(communicator->all_gather("x"), ElementsAre("x", "x"));
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST_P(C10dCommunicator, IsForASingleRankToo) {
  const auto thrown = on_ranks(GetParam(), 1, [](const auto& communicator) {
    EXPECT_THAT(communicator->all_gather("alone"), ElementsAre("alone"));
  });
  EXPECT_THAT(thrown, ElementsAre(""));
}

TEST_P(C10dCommunicator, GivesEveryRankTheSameErrorWhereTheyDisagree) {
  const auto thrown = on_ranks(GetParam(), 3, [](const auto& communicator) {
    agree(*communicator, {.facts = {{"seed", "42"}}});
    agree(*communicator, {.facts = {{"seed", communicator->rank() == 2 ? "9" : "42"}}});
  });
  EXPECT_THAT(thrown, Each("ranks_disagree: seed: ranks 0-1 have \"42\", rank 2 has \"9\""));
}

TEST_P(C10dCommunicator, TellsTheOthersOfAFailure) {
  const auto thrown = on_ranks(GetParam(), 3, [](const auto& communicator) {
    const auto seed = prepare_or_report(*communicator, [&] {
      if (communicator->rank() == 1) throw std::runtime_error("disk full");
      return std::string("42");
    });
    agree(*communicator, {.facts = {{"seed", seed}}});
  });
  EXPECT_THAT(thrown, ElementsAre("ranks_disagree: rank 1 failed: disk full", "disk full",
                                  "ranks_disagree: rank 1 failed: disk full"));
}

/// Walks an epoch of 12 samples, 2 a batch, divided among the communicator's ranks.
std::size_t count_batches(const std::shared_ptr<Communicator>& communicator, std::uint64_t seed) {
  LoaderOptions options{.batch_size = 2, .shuffle = true, .seed = seed, .num_workers = 0};
  options.rank = communicator->rank();
  options.world_size = communicator->world_size();
  options.communicator = communicator;
  Loader loader(std::make_shared<FakeProducer>(12), options);
  std::size_t batches = 0;
  for (const Batch& batch : loader.epoch(0)) batches += batch.size() == 2 ? 1 : 0;
  return batches;
}

TEST_P(C10dCommunicator, LetsLoadersAgree) {
  const auto thrown = on_ranks(GetParam(), 3, [](const auto& communicator) {
    EXPECT_EQ(count_batches(communicator, 42), 2U);
    EXPECT_EQ(count_batches(communicator, 43), 2U);
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST_P(C10dCommunicator, LetsAllLoadersRefuseWhatOneHasDifferent) {
  const auto thrown = on_ranks(GetParam(), 3, [](const auto& communicator) {
    count_batches(communicator, communicator->rank() == 1 ? 9 : 42);
  });
  EXPECT_THAT(thrown, Each(AllOf(HasSubstr("ranks_disagree"), HasSubstr("seed"),
                                 HasSubstr("rank 1 has \"9\""))));
}

INSTANTIATE_TEST_SUITE_P(Over, C10dCommunicator, ::testing::ValuesIn(ways()),
                         [](const auto& way) { return way.param; });

/// A group that cannot gather: its work is aborted in pairs, and it throws otherwise.
class BrokenGroup final : public c10::intrusive_ptr_target {
 public:
  struct AbortedWork {
    bool wait() const { return false; }
  };

  BrokenGroup(int rank, int size) : rank_(rank), size_(size) {}
  int getRank() const { return rank_; }
  int getSize() const { return size_; }
  std::unique_ptr<AbortedWork> allgather(std::vector<std::vector<at::Tensor>>& all,
                                         std::vector<at::Tensor>&) {
    TORCH_CHECK(all.front().size() == 2, "cable 7 is unplugged");
    return std::make_unique<AbortedWork>();
  }

 private:
  int rank_;
  int size_;
};

TEST(ProcessGroupCommunicator, PassesOnWhatTheGroupSays) {
  torch::ProcessGroupCommunicator communicator(c10::make_intrusive<BrokenGroup>(0, 3));
  EXPECT_EQ(error_of([&] { communicator.all_gather("x"); }, ErrorCode::communication_error),
            "communication_error: the process group did not gather the ranks' messages: "
            "cable 7 is unplugged");
}

TEST(ProcessGroupCommunicator, TakesAbortedWorkForAFailure) {
  torch::ProcessGroupCommunicator communicator(c10::make_intrusive<BrokenGroup>(0, 2));
  EXPECT_THAT(error_of([&] { communicator.all_gather("x"); }, ErrorCode::communication_error),
              HasSubstr("aborted"));
}

TEST(ProcessGroupCommunicator, RefusesNoGroupAndRanksThatAreNone) {
  const auto refused = [](const c10::intrusive_ptr<BrokenGroup>& group) {
    return error_of([&] { torch::ProcessGroupCommunicator communicator(group); },
                    ErrorCode::invalid_argument);
  };
  EXPECT_THAT(refused({}), HasSubstr("null"));
  EXPECT_THAT(refused(c10::make_intrusive<BrokenGroup>(-1, 2)), HasSubstr("rank -1 of 2"));
  EXPECT_THAT(refused(c10::make_intrusive<BrokenGroup>(2, 2)), HasSubstr("rank 2 of 2"));
}

TEST(RanksOf, AreTheGroupsAndMakeDataRanks) {
  const Ranks ranks = torch::ranks_of(c10::make_intrusive<BrokenGroup>(5, 8));
  EXPECT_EQ(ranks.rank, 5U);
  EXPECT_EQ(ranks.world_size, 8U);
  EXPECT_EQ(ranks.origin, "process group");
  EXPECT_EQ(data_ranks(Mesh({{"dp", 4}, {"tp", 2}}), ranks), (DataRanks{2, 4}));
}

}  // namespace
}  // namespace stoker::testing
