// Ranks as processes: c10d_rank.cpp.
#include "tests/run_in_shell.hpp"
#include "tests/torch/c10d_meeting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t world_size = 3;
constexpr std::uint64_t nobody = world_size;

/// What each rank said and how it ended, where the rank `dying` is killed.
std::vector<ProgramResult> run_ranks(const std::string& way, std::uint64_t dying) {
  const StoreFile file("processes");
  const auto server = tcp_store(true, 0);
  const std::string place = way == "tcp_store" ? std::to_string(server->getPort()) : file.path();
  std::vector<ProgramResult> results(world_size);
  const auto thrown = on_threads(world_size, [&](std::uint64_t rank) {
    results[rank] =
        run_in_shell(STOKER_C10D_RANK " " + way + " " + place + " " + std::to_string(rank) + " " +
                     std::to_string(world_size) + " " + std::to_string(dying));
  });
  EXPECT_THAT(thrown, ::testing::Each(""));
  return results;
}

std::vector<std::string> ways_between_processes() {
  std::vector<std::string> between;
  for (const std::string& way : ways())
    if (way != "hash_store") between.push_back(way);
  return between;
}

class C10dProcesses : public ::testing::TestWithParam<std::string> {};

TEST_P(C10dProcesses, AgreeOnALoader) {
  for (const ProgramResult& result : run_ranks(GetParam(), nobody)) {
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("agreed again"));
  }
}

TEST_P(C10dProcesses, FailWhereOneHasDied) {
  const std::vector<ProgramResult> results = run_ranks(GetParam(), 1);
  for (std::uint64_t rank = 0; rank < world_size; ++rank) {
    EXPECT_THAT(results[rank].output, HasSubstr("agreed\n"));
    if (rank == 1) continue;
    EXPECT_EQ(results[rank].status, 1);
    EXPECT_THAT(results[rank].output,
                AllOf(HasSubstr("communication_error"), Not(HasSubstr("agreed again"))));
  }
}

INSTANTIATE_TEST_SUITE_P(Over, C10dProcesses, ::testing::ValuesIn(ways_between_processes()),
                         [](const auto& way) { return way.param; });

}  // namespace
}  // namespace stoker::testing
