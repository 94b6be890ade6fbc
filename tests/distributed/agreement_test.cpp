#include <stoker/distributed/agreement.hpp>

#include "thread_communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stoker {
namespace {

using test::message_of;
using test::ThreadGroup;
using testing::Each;
using testing::HasSubstr;

/// What each rank threw where rank r states `statement_of(r)`.
std::vector<std::string> messages(std::uint64_t world_size,
                                  const std::function<Statement(std::uint64_t)>& statement_of) {
  ThreadGroup group(world_size);
  std::vector<std::string> all;
  for (const auto& thrown : group.run([&](Communicator& communicator) {
         agree(communicator, statement_of(communicator.rank()));
       }))
    all.push_back(message_of(thrown));
  return all;
}

Statement data(std::uint64_t rank, std::uint64_t world_size) {
  return {.facts = {}, .data = DataRanks{rank, world_size}};
}

TEST(Agreement, PassesWhereAllRanksStateTheSame) {
  const auto all = messages(4, [](std::uint64_t rank) {
    return Statement{.facts = {{"seed", "42"}, {"steps", "10"}}, .data = DataRanks{rank, 4}};
  });
  EXPECT_THAT(all, Each(""));
}

TEST(Agreement, DoesNotCareForTheOrderOfFacts) {
  const auto all = messages(2, [](std::uint64_t rank) {
    Statement statement{.facts = {{"a", "1"}, {"b", "2"}}};
    if (rank == 1) std::swap(statement.facts[0], statement.facts[1]);
    return statement;
  });
  EXPECT_THAT(all, Each(""));
}

TEST(Agreement, GivesEveryRankTheSameErrorThatNamesFactRanksAndValues) {
  const auto all = messages(4, [](std::uint64_t rank) {
    return Statement{.facts = {{"pipeline", "decode"}, {"seed", rank == 2 ? "9" : "42"}}};
  });
  EXPECT_THAT(all, Each("ranks_disagree: seed: ranks 0-1, 3 have \"42\", rank 2 has \"9\""));
}

TEST(Agreement, NamesEachFactThatDiffers) {
  const auto all = messages(2, [](std::uint64_t rank) {
    return Statement{.facts = {{"seed", std::to_string(rank)}, {"steps", std::to_string(rank)}}};
  });
  EXPECT_THAT(all, Each(HasSubstr("seed: rank 0 has \"0\", rank 1 has \"1\"; "
                                  "steps: rank 0 has \"0\", rank 1 has \"1\"")));
}

TEST(Agreement, SaysWhichRankHasNoSuchFact) {
  const auto all = messages(3, [](std::uint64_t rank) {
    Statement statement;
    if (rank != 1) statement.facts = {{"state", "p"}};
    return statement;
  });
  EXPECT_THAT(all, Each(HasSubstr("state: ranks 0, 2 have \"p\", rank 1 has none")));
}

TEST(Agreement, ShowsLongValuesWhereTheyBeginToDiffer) {
  const std::string long_text(200, 'x');
  const auto all = messages(2, [&](std::uint64_t rank) {
    return Statement{.facts = {{"pipeline", long_text + (rank == 0 ? "crop" : "pad") + long_text}}};
  });
  EXPECT_THAT(all, Each(HasSubstr("...\"xxxxxxxxxxxxxxxxxxxxcropxxx")));
  EXPECT_THAT(all, Each(HasSubstr("...\"xxxxxxxxxxxxxxxxxxxxpadxxx")));
  for (const std::string& message : all) EXPECT_LT(message.size(), 300U);
}

TEST(Agreement, StaysReadableWhereEachOfManyRanksHasAnotherValue) {
  const auto all = messages(40, [](std::uint64_t rank) {
    return Statement{.facts = {{"seed", std::to_string(rank)}}};
  });
  EXPECT_THAT(all, Each(HasSubstr("rank 5 has \"5\", and there are 34 other values")));
}

TEST(Agreement, EscapesValuesThatAreNoText) {
  const auto all = messages(2, [](std::uint64_t rank) {
    return Statement{.facts = {{"bytes", rank == 0 ? "a\n" : "\xff"}}};
  });
  EXPECT_THAT(all, Each(HasSubstr(R"(rank 0 has "a\n", rank 1 has "\xff")")));
}

TEST(Agreement, AcceptsDataRanksThatSeveralRanksShareEqually) {
  EXPECT_THAT(messages(4, [](std::uint64_t rank) { return data(rank / 2, 2); }), Each(""));
  EXPECT_THAT(messages(4, [](std::uint64_t rank) { return data(rank % 2, 2); }), Each(""));
  EXPECT_THAT(messages(3, [](std::uint64_t) { return data(0, 1); }), Each(""));
}

TEST(Agreement, NamesMissingAndDoubledDataRanks) {
  const auto all = messages(4, [](std::uint64_t rank) { return data(rank == 2 ? 1 : rank, 4); });
  EXPECT_THAT(all, Each(HasSubstr("data ranks: of 4, each must be on equally many of the 4 ranks; "
                                  "2 is missing; 1 is on ranks 1-2")));
}

TEST(Agreement, FindsEachProcessBeingRankZero) {
  const auto all = messages(4, [](std::uint64_t) { return data(0, 4); });
  EXPECT_THAT(all, Each(HasSubstr("1-3 is missing; 0 is on ranks 0-3")));
}

TEST(Agreement, FindsDataRanksThatDoNotDivideTheRanks) {
  const auto all = messages(3, [](std::uint64_t rank) { return data(rank % 2, 2); });
  EXPECT_THAT(all, Each(HasSubstr("0 is on ranks 0, 2")));
}

TEST(Agreement, FindsMoreDataRanksThanRanks) {
  const auto all = messages(2, [](std::uint64_t rank) { return data(rank, 1000); });
  EXPECT_THAT(all, Each(HasSubstr("2-999 is missing")));
}

TEST(Agreement, FindsDataRanksOutOfRange) {
  const auto all = messages(2, [](std::uint64_t rank) { return data(rank * 5, 2); });
  EXPECT_THAT(all, Each(HasSubstr("1 is missing; 5 is on rank 1")));
  EXPECT_THAT(messages(2, [](std::uint64_t rank) { return data(rank, 0); }),
              Each(HasSubstr("0 is on rank 0; 1 is on rank 1")));
}

TEST(Agreement, FindsWorldSizesOfTheDataThatDiffer) {
  const auto all = messages(2, [](std::uint64_t rank) { return data(rank, 2 + rank); });
  EXPECT_THAT(all, Each(HasSubstr("world_size of the data: rank 0 has \"2\", rank 1 has \"3\"")));
  const auto some = messages(2, [](std::uint64_t rank) {
    Statement statement;
    if (rank == 0) statement.data = DataRanks{0, 1};
    return statement;
  });
  EXPECT_THAT(some, Each(HasSubstr("rank 0 has \"1\", rank 1 has none")));
}

TEST(Agreement, TellsTheOthersOfARankThatFailedWhichThrowsItsOwnError) {
  ThreadGroup group(4);
  const auto thrown = group.run([](Communicator& communicator) {
    const Statement statement = prepare_or_report(communicator, [&]() -> Statement {
      if (communicator.rank() == 2) throw Error(ErrorCode::not_found, "no folder train/");
      return {.facts = {{"seed", "42"}}};
    });
    agree(communicator, statement);
  });
  EXPECT_EQ(message_of(thrown[2]), "not_found: no folder train/");
  for (const std::size_t rank : {0, 1, 3})
    EXPECT_EQ(message_of(thrown[rank]),
              "ranks_disagree: rank 2 failed: not_found: no folder train/");
}

TEST(Agreement, TellsOfExceptionsThatAreNotStokersOwn) {
  ThreadGroup group(2);
  const auto thrown = group.run([](Communicator& communicator) {
    if (communicator.rank() == 0)
      EXPECT_THROW(prepare_or_report(communicator, []() -> int { throw 7; }), int);
    else
      agree(communicator, {});
  });
  EXPECT_THAT(message_of(thrown[1]), HasSubstr("rank 0 failed: an exception that is no std::"));
}

TEST(Agreement, GroupsRanksThatFailedAlike) {
  ThreadGroup group(4);
  const auto thrown = group.run([](Communicator& communicator) {
    if (communicator.rank() > 0)
      report_failure(communicator, "disk full");
    else
      agree(communicator, {});
  });
  EXPECT_EQ(message_of(thrown[0]), "ranks_disagree: ranks 1-3 failed: disk full");
  EXPECT_EQ(message_of(thrown[1]), "");
}

TEST(Agreement, RefusesBytesOfAnotherKind) {
  ThreadGroup group(3);
  const auto thrown = group.run([](Communicator& communicator) {
    if (communicator.rank() == 1)
      communicator.all_gather("something else");
    else
      agree(communicator, {});
  });
  EXPECT_THAT(message_of(thrown[0]), HasSubstr("rank 1 sent no statement"));
  EXPECT_EQ(message_of(thrown[0]), message_of(thrown[2]));
}

TEST(Agreement, RefusesAFactThatComesTwiceAndTellsTheOthers) {
  const auto all = messages(2, [](std::uint64_t rank) {
    Statement statement;
    if (rank == 0) statement.facts = {{"a", "1"}, {"a", "2"}};
    return statement;
  });
  EXPECT_THAT(all[0], HasSubstr("invalid_argument: the statement has the fact a twice"));
  EXPECT_THAT(all[1], HasSubstr("rank 0 failed: invalid_argument"));
}

TEST(Agreement, CanBeHeldAgain) {
  ThreadGroup group(3);
  const auto thrown = group.run([](Communicator& communicator) {
    for (int round = 0; round < 100; ++round)
      agree(communicator, {.facts = {{"round", std::to_string(round)}}});
  });
  EXPECT_THAT(thrown, Each(std::exception_ptr()));
}

/// Fails each exchange, or loses a rank's bytes.
class BrokenCommunicator final : public Communicator {
 public:
  explicit BrokenCommunicator(bool loses) : loses_(loses) {}
  std::uint64_t rank() const override { return 0; }
  std::uint64_t world_size() const override { return 2; }
  std::vector<std::string> all_gather(const std::string& mine) override {
    if (!loses_) throw Error(ErrorCode::io_error, "the network is gone");
    return {mine};
  }

 private:
  bool loses_;
};

TEST(Agreement, ThrowsWhatTheCommunicatorThrows) {
  BrokenCommunicator broken(false);
  EXPECT_THROW(agree(broken, {}), Error);
  BrokenCommunicator losing(true);
  EXPECT_THROW(agree(losing, {}), Error);
}

TEST(Agreement, KeepsTheFirstFailureWhereItCannotBeTold) {
  BrokenCommunicator broken(false);
  EXPECT_THROW(prepare_or_report(broken, []() -> int { throw std::runtime_error("no such file"); }),
               std::runtime_error);
  EXPECT_NO_THROW(report_failure(broken, "no such file"));
}

}  // namespace
}  // namespace stoker
