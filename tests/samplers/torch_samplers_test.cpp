// Holds our samplers against what torch 2.11 returned: scripts/make_sampler_goldens.py.
#include "tests/samplers/orders.hpp"
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/subset_sampler.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace stoker {
namespace {

const nlohmann::json& torch_goldens() {
  static const auto json =
      nlohmann::json::parse(std::ifstream(STOKER_TEST_DATA "/torch_samplers.json"));
  return json;
}

std::uint64_t number(const nlohmann::json& golden, const char* name) {
  return golden.at(name).get<std::uint64_t>();
}

void expect_equal(const Order& order, const nlohmann::json& golden) {
  EXPECT_EQ(order.size(), number(golden, "count")) << golden;
  EXPECT_EQ(sha256(whole(order)), golden.at("sha256").get<std::string>()) << golden;
}

TEST(TorchSamplers, RandomWithAndWithoutReplacementOfAnyNumber) {
  ASSERT_GE(torch_goldens().at("random").size(), 58U);
  for (const auto& golden : torch_goldens().at("random")) {
    const RandomSampler sampler(number(golden, "size"),
                                {.replacement = golden.at("replacement").get<bool>(),
                                 .num_samples = number(golden, "num_samples")});
    expect_equal(*sampler.order(number(golden, "seed"), 0), golden);
  }
}

TEST(TorchSamplers, SubsetRandom) {
  ASSERT_GE(torch_goldens().at("subset").size(), 8U);
  for (const auto& golden : torch_goldens().at("subset")) {
    Indices indices;
    for (std::uint64_t i = 0; i < number(golden, "subset"); ++i) {
      indices.push_back((7 * i + 3) % number(golden, "size"));
    }
    expect_equal(*SubsetSampler(indices).order(number(golden, "seed"), 0), golden);
  }
}

TEST(TorchSamplers, Distributed) {
  ASSERT_GE(torch_goldens().at("distributed").size(), 200U);
  for (const auto& golden : torch_goldens().at("distributed")) {
    const bool drop_last = golden.at("drop_last").get<bool>();
    const RankSplit split{number(golden, "rank"), number(golden, "world_size"),
                          drop_last ? Remainder::drop : Remainder::pad};
    const DistributedSampler sampler(number(golden, "size"), split,
                                     golden.at("shuffle").get<bool>());
    expect_equal(*sampler.order(number(golden, "seed"), number(golden, "epoch")), golden);
  }
}

}  // namespace
}  // namespace stoker
