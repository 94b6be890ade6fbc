#include "tests/cli/run_command.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace stoker::cli {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::UnorderedElementsAre;

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

std::string refusal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "order");
  const auto result = run_command(arguments);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  return result.errors;
}

std::vector<std::int64_t> order_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "order");
  const auto result = run_command(arguments);
  EXPECT_EQ(result.status, 0) << result.errors;
  return numbers(result.output);
}

std::vector<std::string> distributed_arguments(const nlohmann::json& golden, std::size_t rank) {
  std::vector<std::string> arguments{"--epoch",      golden["epoch"].dump(),
                                     "--world-size", golden["world_size"].dump(),
                                     "--rank",       std::to_string(rank)};
  if (golden["shuffle"].get<bool>()) arguments.push_back("--shuffle");
  if (golden["drop_last"].get<bool>()) arguments.push_back("--drop-last");
  return arguments;
}

TEST(Order, SplitsAmongRanksAsTorchsDistributedSamplerDoes) {
  const nlohmann::json all = goldens();
  ASSERT_GE(all.at("distributed").size(), 60U);
  // A process each: a few of them; the samplers' own tests hold all.
  for (std::size_t i = 0; i < all.at("distributed").size(); i += 7) {
    const auto& golden = all.at("distributed")[i];
    for (const std::size_t rank : {std::size_t{0}, golden["ranks"].size() - 1}) {
      const auto result = run_order(golden, distributed_arguments(golden, rank));
      EXPECT_EQ(result.status, 0) << result.errors;
      EXPECT_EQ(numbers(result.output), golden["ranks"][rank].get<std::vector<std::int64_t>>());
    }
  }
}

TEST(Order, DigestsARanksShare) {
  const nlohmann::json all = goldens();
  for (const auto& golden : all.at("distributed_sha256_int64le")) {
    auto arguments = distributed_arguments(golden, golden["rank"].get<std::size_t>());
    arguments.push_back("--sha256");
    EXPECT_EQ(run_order(golden, arguments).output, golden["sha256"].get<std::string>() + "\n");
  }
}

TEST(Order, GivesEachSampleOnceToUnevenRanks) {
  EXPECT_THAT(order_of({"--size", "5", "--world-size", "2", "--uneven"}), ElementsAre(0, 2, 4));
  EXPECT_THAT(order_of({"--size", "5", "--world-size", "2", "--rank", "1", "--uneven"}),
              ElementsAre(1, 3));
}

TEST(Order, BeginsWhereARunWasStopped) {
  EXPECT_THAT(order_of({"--size", "6", "--from", "4"}), ElementsAre(4, 5));
  EXPECT_THAT(order_of({"--size", "6", "--from", "6"}), IsEmpty());
  EXPECT_THAT(order_of({"--size", "10", "--from", "4", "--world-size", "3", "--rank", "1"}),
              ElementsAre(5, 8));
  auto whole = order_of({"--size", "100", "--shuffle", "--seed", "5"});
  whole.erase(whole.begin(), whole.begin() + 37);
  EXPECT_EQ(order_of({"--size", "100", "--shuffle", "--seed", "5", "--from", "37"}), whole);
}

TEST(Order, HasEverySampler) {
  EXPECT_THAT(order_of({"--sampler", "subset", "--indices", "7,3,5"}), ElementsAre(7, 3, 5));
  EXPECT_THAT(order_of({"--sampler", "subset", "--indices", "7,3,5", "--shuffle"}),
              UnorderedElementsAre(7, 3, 5));
  EXPECT_THAT(order_of({"--size", "4", "--sampler", "large-permutation"}),
              UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order_of({"--sampler", "weighted", "--weights", "1,0,2.5", "--num-samples", "2"}),
              UnorderedElementsAre(0, 2));
  EXPECT_THAT(order_of({"--sampler", "weighted", "--weights", "0 0 3", "--num-samples", "5",
                        "--replacement"}),
              ElementsAre(2, 2, 2, 2, 2));
  EXPECT_THAT(order_of({"--sampler", "mixture", "--sizes", "2,3", "--weights", "1,0",
                        "--num-samples", "4"}),
              Each(Le(1)));
  EXPECT_THAT(
      order_of({"--size", "5", "--sampler", "block-shuffle", "--shard-size", "2", "--window", "4"}),
      UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(
      order_of({"--size", "10", "--sampler", "random", "--replacement", "--num-samples", "25"})
          .size(),
      25U);
  EXPECT_THAT(order_of({"--size", "5", "--sampler", "batch", "--batch-size", "2", "--world-size",
                        "2", "--rank", "1"}),
              ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(order_of({"--sampler", "bucket", "--lengths", "5,50,6,60", "--boundaries", "10",
                        "--batch-size", "2"}),
              UnorderedElementsAre(0, 1, 2, 3));
}

TEST(Order, ReadsListsFromFiles) {
  const TemporaryFolder folder;
  const std::string file = folder.write("indices.txt", "4\n2\r\n 9\n");
  EXPECT_THAT(order_of({"--sampler", "subset", "--indices", "@" + file}), ElementsAre(4, 2, 9));
  EXPECT_THAT(refusal({"--sampler", "subset", "--indices", "@" + file + "x"}),
              HasSubstr("not_found"));
}

TEST(Order, SaysWhatCannotBe) {
  EXPECT_THAT(refusal({"--size", "0"}), HasSubstr("empty_source"));
  EXPECT_THAT(refusal({"--size", "4", "--world-size", "0"}), HasSubstr("world_size"));
  EXPECT_THAT(refusal({"--size", "4", "--world-size", "2", "--rank", "2"}), HasSubstr("rank 2"));
  EXPECT_THAT(refusal({"--size", "4", "--rank", "1"}), HasSubstr("--rank needs --world-size"));
  EXPECT_THAT(refusal({"--size", "4", "--world-size", "2", "--drop-last", "--uneven"}),
              HasSubstr("--drop-last contradicts --uneven"));
  EXPECT_THAT(refusal({"--size", "4", "--sampler", "distributed"}), HasSubstr("--world-size"));
  EXPECT_THAT(refusal({"--size", "4", "--uneven"}), HasSubstr("--uneven needs --world-size"));
  EXPECT_THAT(refusal({"--size", "4", "--drop-last"}), HasSubstr("--drop-last needs"));
  EXPECT_THAT(refusal({"--size", "4", "--from", "5"}), HasSubstr("--from is 5"));
  EXPECT_THAT(refusal({"--size", "4", "--seed", "18446744073709551616"}),
              HasSubstr("18446744073709551616"));
  EXPECT_THAT(refusal({"--size", "4", "--epoch", "-1"}), HasSubstr("-1"));
  for (const char* weights : {"1,-1", "1,nan", "0,0", "1,inf", "1,x", ""}) {
    EXPECT_THAT(refusal({"--sampler", "weighted", "--weights", weights}), HasSubstr("weight"));
  }
  EXPECT_THAT(refusal({"--sampler", "weighted", "--weights", "1,2", "--size", "3"}),
              HasSubstr("--size is 3, but there are 2 weights"));
  EXPECT_THAT(refusal({"--sampler", "bucket", "--lengths", "5,6", "--boundaries", "10",
                       "--batch-size", "2"}),
              HasSubstr("bucket"));
  EXPECT_THAT(refusal({"--size", "4", "--sampler", "block-shuffle"}), HasSubstr("--shard-size"));
  EXPECT_THAT(refusal({"--size", "4", "--sampler", "batch", "--batch-size", "99999999999999"}),
              HasSubstr("--batch-size is 99999999999999"));
  EXPECT_THAT(refusal({"--sampler", "mixture", "--sizes", "3,4", "--weights", "1,1",
                       "--num-samples", "5", "--size", "9"}),
              HasSubstr("--size is 9"));
}

TEST(Order, RefusesOptionsThatWouldGoUnnoticed) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--size", "5", "--replacement"},
        {"--size", "5", "--weights", "1,2"},
        {"--size", "5", "--num-samples", "3"},
        {"--size", "5", "--sampler", "large-permutation", "--window", "4"},
        {"--size", "5", "--sampler", "batch", "--batch-size", "2", "--indices", "1"}}) {
    EXPECT_THAT(refusal(arguments), HasSubstr("has no meaning for the sampler"));
  }
}

TEST(Order, StopsWhereNobodyReadsOn) {
  const auto result = run_command(
      {"order", "--size", "100000000000000", "--sampler", "large-permutation"}, "/dev/full");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("io_error"));
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
  EXPECT_THAT(result.errors, HasSubstr("--size is required"));
}

}  // namespace
}  // namespace stoker::cli
