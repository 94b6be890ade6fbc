// Run by mpirun on several ranks, all of which run each test.
#include <stoker/mpi.hpp>

#include <stoker/core/error.hpp>
#include <stoker/distributed/agreement.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace stoker {
namespace {

using testing::Each;
using testing::HasSubstr;

std::string message_of_agreement(Communicator& communicator, const Statement& statement) {
  try {
    agree(communicator, statement);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MpiCommunicator, KnowsRankAndWorldSize) {
  const MpiCommunicator communicator(MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(communicator.rank(), static_cast<std::uint64_t>(rank));
  EXPECT_EQ(communicator.world_size(), 4U);
}

TEST(MpiCommunicator, GathersAnyBytesOfAnyLengthInRankOrder) {
  MpiCommunicator communicator(MPI_COMM_WORLD);
  const auto message = [](std::uint64_t rank) {
    return std::string(rank * 100'000, static_cast<char>(rank)) + std::string("\0\xff", 2);
  };
  const auto all = communicator.all_gather(message(communicator.rank()));
  ASSERT_EQ(all.size(), 4U);
  for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(all[rank], message(rank));
}

TEST(MpiCommunicator, GathersWhereAllHaveNothingToSay) {
  MpiCommunicator communicator(MPI_COMM_WORLD);
  EXPECT_THAT(communicator.all_gather(""), Each(""));
}

TEST(MpiCommunicator, KeepsItsMessagesApartFromTheProgramsOwn) {
  MpiCommunicator communicator(MPI_COMM_WORLD);
  const int mine = static_cast<int>(communicator.rank());
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  EXPECT_THAT(communicator.all_gather("x"), Each("x"));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(sum, 6);
}

TEST(MpiCommunicator, WorksForAPartOfTheRanks) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  {
    MpiCommunicator communicator(half);
    EXPECT_EQ(communicator.world_size(), 2U);
    const auto all = communicator.all_gather(std::to_string(rank));
    EXPECT_EQ(all, (std::vector{std::to_string(rank % 2), std::to_string(rank % 2 + 2)}));
  }
  MPI_Comm_free(&half);
}

TEST(MpiCommunicator, GivesEveryRankTheSameErrorWhereTheyDisagree) {
  MpiCommunicator communicator(MPI_COMM_WORLD);
  const std::string seed = communicator.rank() == 3 ? "9" : "42";
  EXPECT_EQ(message_of_agreement(communicator, {.facts = {{"seed", seed}}, .data = {}}),
            "ranks_disagree: seed: ranks 0-2 have \"42\", rank 3 has \"9\"");
  EXPECT_EQ(message_of_agreement(communicator, {.facts = {{"seed", "42"}}, .data = {}}),
            "no error");
}

TEST(MpiCommunicator, TellsTheOthersOfAFailure) {
  MpiCommunicator communicator(MPI_COMM_WORLD);
  if (communicator.rank() == 1)
    report_failure(communicator, "disk full");
  else
    EXPECT_EQ(message_of_agreement(communicator, {}), "ranks_disagree: rank 1 failed: disk full");
}

TEST(MpiCommunicator, RefusesNoCommunicator) {
  try {
    MpiCommunicator communicator(MPI_COMM_NULL);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr("MPI_COMM_NULL"));
  }
}

TEST(MpiCommunicator, RefusesAnotherThreadThanMpisOwn) {
  MpiCommunicator communicator(MPI_COMM_WORLD);
  std::string message;
  std::thread([&] {
    try {
      communicator.all_gather("x");
    } catch (const Error& error) {
      message = error.what();
    }
  }).join();
  EXPECT_THAT(message, HasSubstr("MPI_THREAD_FUNNELED"));
}

}  // namespace
}  // namespace stoker

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const int status = RUN_ALL_TESTS();
  MPI_Finalize();
  return status;
}
