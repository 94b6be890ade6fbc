#include <stoker/distributed/mesh.hpp>

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The message of the Error(invalid_argument) that a call gives.
std::string mistake_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.message();
  }
  return "no error";
}

Ranks ranks(std::uint64_t rank, std::uint64_t world_size) {
  return {.rank = rank, .world_size = world_size};
}

/// The data rank of each rank of a mesh.
std::vector<std::uint64_t> data_ranks_of(const Mesh& mesh, const std::vector<std::string>& along,
                                         std::uint64_t world_size_of_data) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t rank = 0; rank < mesh.size(); ++rank) {
    const DataRanks data = data_ranks(mesh, ranks(rank, mesh.size()), along);
    EXPECT_EQ(data.world_size, world_size_of_data);
    all.push_back(data.rank);
  }
  return all;
}

TEST(Mesh, CountsTheLastDimensionFastest) {
  const Mesh mesh({{"dp", 4}, {"tp", 2}});
  EXPECT_EQ(mesh.size(), 8U);
  EXPECT_EQ(mesh.text(), "{dp: 4, tp: 2}");
  EXPECT_THAT(mesh.coordinates(0), ElementsAre(0, 0));
  EXPECT_THAT(mesh.coordinates(1), ElementsAre(0, 1));
  EXPECT_THAT(mesh.coordinates(2), ElementsAre(1, 0));
  EXPECT_THAT(mesh.coordinates(7), ElementsAre(3, 1));
}

TEST(Mesh, GivesTensorParallelRanksTheSameData) {
  EXPECT_THAT(data_ranks_of(Mesh({{"dp", 4}, {"tp", 2}}), {"dp"}, 4),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(data_ranks_of(Mesh({{"pp", 2}, {"dp", 2}, {"tp", 2}}), {"dp"}, 2),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
}

TEST(Mesh, DividesDataAlongDpUnlessToldOtherwise) {
  const DataRanks data = data_ranks(Mesh({{"dp", 4}, {"tp", 2}}), ranks(5, 8));
  EXPECT_EQ(data, (DataRanks{2, 4}));
}

TEST(Mesh, CombinesDataDimensionsInItsOwnOrder) {
  const Mesh mesh({{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}});
  EXPECT_THAT(data_ranks_of(mesh, {"dp_replicate", "dp_shard"}, 4),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(data_ranks_of(mesh, {"dp_shard", "dp_replicate"}, 4),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  const Mesh apart({{"dp_replicate", 2}, {"tp", 2}, {"dp_shard", 2}});
  EXPECT_THAT(data_ranks_of(apart, {"dp_replicate", "dp_shard"}, 4),
              ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
}

TEST(Mesh, GivesAllRanksTheSameDataWithoutADataDimension) {
  EXPECT_THAT(data_ranks_of(Mesh({{"tp", 3}}), {}, 1), ElementsAre(0, 0, 0));
}

TEST(Mesh, RefusesDimensionsThatMakeNone) {
  EXPECT_THAT(mistake_of([] { Mesh({}); }), HasSubstr("at least one dimension"));
  EXPECT_THAT(mistake_of([] {
                Mesh({{"dp", 4}, {"tp", 0}});
              }),
              HasSubstr("{dp: 4, tp: 0} has no rank: tp is 0"));
  EXPECT_THAT(mistake_of([] { Mesh({{"dp", 4}, {"dp", 2}}); }), HasSubstr("dimension dp twice"));
  EXPECT_THAT(mistake_of([] { Mesh({{"", 4}}); }), HasSubstr("without name"));
  EXPECT_THAT(mistake_of([] {
                Mesh({{"dp", 1ULL << 32}, {"tp", 1ULL << 32}});
              }),
              HasSubstr("more than 2^64 - 1 ranks"));
}

TEST(Mesh, RefusesRanksThatItDoesNotHave) {
  const Mesh mesh({{"dp", 4}, {"tp", 2}});
  EXPECT_THAT(mistake_of([&] { mesh.coordinates(8); }), HasSubstr("no rank 8 in the 8"));
  EXPECT_THAT(mistake_of([&] { data_ranks(mesh, ranks(0, 4)); }),
              HasSubstr("mesh {dp: 4, tp: 2} is for 8 ranks, but there are 4 (one process)"));
}

TEST(Mesh, RefusesDataDimensionsThatItDoesNotHave) {
  const Mesh mesh({{"replicate", 4}, {"tp", 2}});
  EXPECT_THAT(mistake_of([&] { data_ranks(mesh, ranks(0, 8)); }),
              HasSubstr("{replicate: 4, tp: 2} has no dimension dp"));
  EXPECT_THAT(mistake_of([&] {
                data_ranks(mesh, ranks(0, 8), {"tp", "tp"});
              }),
              HasSubstr("tp is named twice"));
}

}  // namespace
}  // namespace stoker
