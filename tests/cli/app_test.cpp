#include "tests/cli/run_command.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

namespace stoker::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

TEST(App, HelpNamesEveryCommandAndShowsExamples) {
  const auto result = run_command({"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, AllOf(HasSubstr("bench"), HasSubstr("apply"), HasSubstr("order"),
                                   HasSubstr("synth"), HasSubstr("Examples:")));
  EXPECT_THAT(result.errors, IsEmpty());
}

TEST(App, EveryCommandsHelpShowsExamples) {
  for (const char* command : {"bench", "apply", "order", "synth"}) {
    const auto result = run_command({command, "--help"});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_THAT(result.output, ContainsRegex("Examples?:\n  stoker " + std::string(command)));
  }
}

TEST(App, PrintsItsVersion) {
  const auto result = run_command({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, MatchesRegex("stoker [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(App, SuggestsTheCommandThatAnUnknownOneIsCloseTo) {
  const auto result = run_command({"ordr"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "stoker: there is no command 'ordr'; did you mean 'order'?\n");
  EXPECT_THAT(result.output, IsEmpty());
}

TEST(App, SuggestsNothingWhereNoCommandIsClose) {
  const auto result = run_command({"frobnicate"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "stoker: there is no command 'frobnicate'\n");
}

TEST(App, AsksForACommand) {
  const auto result = run_command({});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "stoker: A subcommand is required (see --help)\n");
}

TEST(App, NamesAnOptionThatItDoesNotHave) {
  const auto result = run_command({"order", "--size", "4", "--worldsize", "2"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "stoker: there is no place for '--worldsize' (see --help)\n");
}

TEST(App, ReplacesControlCharactersInItsErrors) {
  const TemporaryFolder folder;
  const auto list = folder.write("list.txt", "a.jpg \x1b[2J");
  const auto result = run_command({"bench", list});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("?[2J"));
  EXPECT_EQ(result.errors.find('\x1b'), std::string::npos);
}

TEST(App, TakesWholeNumbersOnlyWhereItNeedsThem) {
  const auto refuses = [](const std::string& number, const std::string& why) {
    const auto result = run_command({"order", "--size", number});
    EXPECT_EQ(result.status, 1) << number;
    EXPECT_THAT(result.errors, HasSubstr("--size: must be " + why + ", not " + number));
  };
  refuses("-1", "at least 0");
  refuses("18446744073709551616", "at most 18446744073709551615");
  refuses("2x", "a whole number");
  refuses("", "a whole number");
  EXPECT_EQ(run_command({"order", "--size", "2", "--seed", "18446744073709551615"}).status, 0);
}

TEST(App, RefusesSynthsReportThatCannotBeWrittenBeforeItDraws) {
  const TemporaryFolder folder;
  const auto result =
      run_command({"synth", folder / "set", "--count", "2", "--json", folder / "missing/json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("not_found"));
  EXPECT_FALSE(std::filesystem::exists(folder / "set"));
}

// AddressSanitizer ends the program itself where so much is asked for.
#ifndef __SANITIZE_ADDRESS__
TEST(App, SaysThatMemoryIsShort) {
  const auto result = run_command({"order", "--size", "1000000000000000", "--shuffle"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("out_of_memory"));
}
#endif

}  // namespace
}  // namespace stoker::cli
