#include "tests/cli/run_command.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace stoker::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

nlohmann::json goldens() {
  return nlohmann::json::parse(std::ifstream(STOKER_TEST_DATA "/samplers.json"));
}

CommandResult run_order(const nlohmann::json& golden, std::vector<std::string> more) {
  more.insert(more.begin(),
              {"order", "--size", golden["n"].dump(), "--seed", golden["seed"].dump()});
  return run_command(more);
}

std::vector<std::int64_t> numbers(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::int64_t>(stream), {}};
}

TEST(Order, ShufflesAsTorchRandpermDoes) {
  const nlohmann::json all = goldens();
  for (const auto& golden : all.at("randperm")) {
    const auto result = run_order(golden, {"--shuffle"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(numbers(result.output), golden["indices"].get<std::vector<std::int64_t>>())
        << golden["n"] << " " << golden["seed"];
  }
}

TEST(Order, DigestsTheOrderAsLittleEndianInt64) {
  const nlohmann::json all = goldens();
  for (const auto& golden : all.at("randperm_sha256_int64le")) {
    const auto result = run_order(golden, {"--sampler", "random", "--sha256"});
    EXPECT_EQ(result.output, golden["sha256"].get<std::string>() + "\n");
  }
}

TEST(Order, IsSequentialUnlessAskedToShuffle) {
  EXPECT_THAT(numbers(run_command({"order", "--size", "4"}).output), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(numbers(run_command({"order", "--size", "3", "--sampler", "sequential"}).output),
              ElementsAre(0, 1, 2));
}

TEST(Order, AddsTheEpochToTheSeed) {
  const std::vector<std::string> order{"order", "--size", "50", "--shuffle", "--seed"};
  auto fifth_epoch = order;
  fifth_epoch.insert(fifth_epoch.end(), {"3", "--epoch", "5"});
  auto eighth_seed = order;
  eighth_seed.push_back("8");
  EXPECT_EQ(run_command(fifth_epoch).output, run_command(eighth_seed).output);
}

TEST(Order, PrintsNothingForAnEmptySource) {
  const auto result = run_command({"order", "--size", "0", "--shuffle"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, IsEmpty());
}

TEST(Order, RefusesShuffleTogetherWithTheSequentialSampler) {
  const auto result = run_command({"order", "--size", "4", "--shuffle", "--sampler", "sequential"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("--shuffle contradicts --sampler sequential"));
}

TEST(Order, RefusesASamplerThatItDoesNotKnow) {
  const auto result = run_command({"order", "--size", "4", "--sampler", "backwards"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("backwards"));
}

TEST(Order, NeedsASize) {
  const auto result = run_command({"order"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "stoker: --size is required (see --help)\n");
}

}  // namespace
}  // namespace stoker::cli
