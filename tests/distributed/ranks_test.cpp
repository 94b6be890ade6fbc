#include <stoker/distributed/ranks.hpp>

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace stoker {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

Environment environment_of(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

Ranks found_in(Variables variables) {
  return find_ranks({}, {}, environment_of(std::move(variables)));
}

/// The message of the Error(bad_environment) that the variables give.
std::string mistake_in(Variables variables) {
  try {
    found_in(std::move(variables));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_environment);
    return error.message();
  }
  return "no error";
}

Variables operator+(Variables a, const Variables& b) {
  a.insert(b.begin(), b.end());
  return a;
}

void expect_ranks(const Ranks& ranks, std::uint64_t rank, std::uint64_t world_size,
                  const std::string& origin) {
  EXPECT_EQ(ranks.rank, rank);
  EXPECT_EQ(ranks.world_size, world_size);
  EXPECT_EQ(ranks.origin, origin);
}

const Variables plain = {{"RANK", "5"}, {"WORLD_SIZE", "8"}};
const Variables torchrun = {{"RANK", "5"},
                            {"WORLD_SIZE", "8"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "4"},
                            {"TORCHELASTIC_RUN_ID", "none"}};
const Variables open_mpi = {{"OMPI_COMM_WORLD_RANK", "2"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
const Variables pmi = {{"PMI_RANK", "3"}, {"PMI_SIZE", "6"}};
const Variables srun = {
    {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "3"}, {"SLURM_LOCALID", "0"}, {"SLURM_STEP_ID", "0"}};

TEST(Ranks, OneProcessWhereNothingIsSet) {
  expect_ranks(found_in({}), 0, 1, "one process");
  EXPECT_FALSE(found_in({}).local_rank);
}

TEST(Ranks, ArgumentsComeFirst) {
  const Ranks ranks = find_ranks(1, 2, environment_of(torchrun + open_mpi));
  expect_ranks(ranks, 1, 2, "explicit");
  EXPECT_FALSE(ranks.local_rank);
}

TEST(Ranks, ArgumentsGoTogetherAndFit) {
  const Environment none = environment_of({});
  for (const auto& [rank, world_size] :
       {std::pair<std::optional<std::uint64_t>, std::optional<std::uint64_t>>{1, std::nullopt},
        {std::nullopt, 2},
        {2, 2},
        {0, 0}}) {
    try {
      find_ranks(rank, world_size, none);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.message(), AllOf(HasSubstr("rank"), HasSubstr("world_size")));
    }
  }
}

TEST(Ranks, ReadsTorchrun) {
  const Ranks ranks = found_in(torchrun);
  expect_ranks(ranks, 5, 8, "torchrun");
  EXPECT_EQ(ranks.local_rank, 1);
  EXPECT_EQ(ranks.local_world_size, 4);
}

TEST(Ranks, ReadsPlainVariables) {
  const Ranks ranks = found_in(plain);
  expect_ranks(ranks, 5, 8, "RANK and WORLD_SIZE");
  EXPECT_FALSE(ranks.local_rank);
}

TEST(Ranks, ReadsOpenMpi) {
  const Ranks ranks = found_in(open_mpi);
  expect_ranks(ranks, 2, 4, "Open MPI");
  EXPECT_EQ(ranks.local_rank, 0);
  EXPECT_EQ(ranks.local_world_size, 2);
}

TEST(Ranks, ReadsPmi) { expect_ranks(found_in(pmi), 3, 6, "PMI"); }

TEST(Ranks, ReadsAStepOfSrun) {
  const Ranks ranks = found_in(srun);
  expect_ranks(ranks, 1, 3, "srun");
  EXPECT_EQ(ranks.local_rank, 0);
}

TEST(Ranks, IgnoresSlurmOutsideAStepOfSrun) {
  Variables batch = srun;
  batch.erase("SLURM_STEP_ID");
  expect_ranks(found_in(batch), 0, 1, "one process");
  for (const char* reserved : {"4294967290", "4294967291", "4294967292", "4294967293", "extern"}) {
    batch["SLURM_STEP_ID"] = reserved;
    expect_ranks(found_in(batch), 0, 1, "one process");
  }
}

TEST(Ranks, TheInnerLauncherHidesTheOuterOnes) {
  expect_ranks(found_in(torchrun + open_mpi + pmi + srun), 5, 8, "torchrun");
  expect_ranks(found_in(open_mpi + pmi + srun), 2, 4, "Open MPI");
  expect_ranks(found_in(pmi + srun), 3, 6, "PMI");
}

TEST(Ranks, PlainVariablesMayRepeatTheLauncher) {
  expect_ranks(found_in(Variables{{"RANK", "2"}, {"WORLD_SIZE", "4"}} + open_mpi), 2, 4,
               "RANK and WORLD_SIZE");
}

TEST(Ranks, PlainVariablesThatContradictTheLauncherAreAMistakeThatNamesBoth) {
  const Variables stale = {{"RANK", "0"}, {"WORLD_SIZE", "1"}};
  EXPECT_THAT(
      mistake_in(stale + open_mpi),
      AllOf(HasSubstr("RANK=0, WORLD_SIZE=1"), HasSubstr("OMPI_COMM_WORLD_RANK=2"),
            HasSubstr("OMPI_COMM_WORLD_SIZE=4"), HasSubstr("unset"), HasSubstr("explicitly")));
  EXPECT_THAT(mistake_in(stale + pmi), HasSubstr("PMI_RANK=3, PMI_SIZE=6"));
  EXPECT_THAT(mistake_in(stale + srun), HasSubstr("SLURM_PROCID=1, SLURM_NTASKS=3"));
  const Variables same_rank = {{"RANK", "2"}, {"WORLD_SIZE", "8"}};
  EXPECT_THAT(mistake_in(same_rank + open_mpi), HasSubstr("contradicts"));
}

TEST(Ranks, HalfSetVariablesAreAMistakeThatNamesThem) {
  EXPECT_THAT(mistake_in({{"RANK", "1"}}),
              AllOf(HasSubstr("RANK=1"), HasSubstr("WORLD_SIZE is not set")));
  EXPECT_THAT(mistake_in({{"WORLD_SIZE", "4"}}), HasSubstr("RANK is not set, WORLD_SIZE=4"));
  EXPECT_THAT(mistake_in({{"LOCAL_RANK", "1"}}), HasSubstr("LOCAL_RANK=1"));
  EXPECT_THAT(mistake_in({{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}}),
              HasSubstr("OMPI_COMM_WORLD_RANK is not set"));
  EXPECT_THAT(mistake_in({{"PMI_SIZE", "1"}}), HasSubstr("PMI_RANK is not set"));
  EXPECT_THAT(mistake_in({{"SLURM_STEP_ID", "3"}, {"SLURM_PROCID", "0"}}),
              HasSubstr("SLURM_NTASKS is not set"));
}

TEST(Ranks, ValuesThatAreNoNumbersAreAMistakeThatNamesThem) {
  for (const char* value :
       {"", "one", "-1", "+1", "1.5", " 1", "1 ", "0x1", "18446744073709551616"})
    EXPECT_THAT(mistake_in({{"RANK", value}, {"WORLD_SIZE", "4"}}),
                HasSubstr("RANK=" + std::string(value) + " is no number"));
  EXPECT_THAT(mistake_in(plain + Variables{{"LOCAL_RANK", "x"}}), HasSubstr("LOCAL_RANK=x"));
}

TEST(Ranks, TakesNumbersOf64Bits) {
  expect_ranks(found_in({{"RANK", "18446744073709551614"}, {"WORLD_SIZE", "18446744073709551615"}}),
               18446744073709551614U, 18446744073709551615U, "RANK and WORLD_SIZE");
}

TEST(Ranks, ValuesThatDoNotFitAreAMistake) {
  EXPECT_THAT(mistake_in({{"RANK", "4"}, {"WORLD_SIZE", "4"}}),
              HasSubstr("RANK=4, WORLD_SIZE=4: the rank must be below the world size"));
  EXPECT_THAT(mistake_in({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), HasSubstr("WORLD_SIZE=0"));
  EXPECT_THAT(mistake_in(plain + Variables{{"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}}),
              HasSubstr("the local rank must be below the local world size"));
  EXPECT_THAT(mistake_in(plain + Variables{{"LOCAL_RANK", "8"}}),
              HasSubstr("the local rank must be below the world size"));
  EXPECT_THAT(mistake_in(plain + Variables{{"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "9"}}),
              HasSubstr("the local world size is larger than the world size"));
}

}  // namespace
}  // namespace stoker
