#include "src/device/numa.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A folder like /sys/devices/system/node, removed at the end.
class NumaNodes : public testing::Test {
 protected:
  NumaNodes()
      : folder_(std::filesystem::temp_directory_path() /
                ("stoker_numa_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~NumaNodes() override { std::filesystem::remove_all(folder_); }

  void add(const std::string& node, const std::string& cpulist) {
    std::filesystem::create_directories(folder_ / node);
    std::ofstream(folder_ / node / "cpulist") << cpulist;
  }

  std::filesystem::path folder_;
};

TEST(CpuList, ReadsNumbersAndRanges) {
  EXPECT_THAT(*parse_cpu_list("0-3,8,10-11\n"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(*parse_cpu_list("5"), ElementsAre(5));
}

TEST(CpuList, ReadsAnEmptyListAsNoProcessors) { EXPECT_THAT(*parse_cpu_list("\n"), IsEmpty()); }

TEST(CpuList, SortsAndDropsDoubles) {
  EXPECT_THAT(*parse_cpu_list("4,1-2,2-4"), ElementsAre(1, 2, 3, 4));
}

TEST(CpuList, RefusesWhatIsNoList) {
  for (const char* text :
       {"a", "1-", "-1", "3-1", "1,,2", "1,", "1 2", "0-99999999", "99999999999"})
    EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST_F(NumaNodes, AreReadInTheOrderOfTheirNumbers) {
  add("node10", "8-9\n");
  add("node2", "2,6\n");
  add("node0", "0-1\n");
  EXPECT_THAT(numa_nodes(folder_),
              ElementsAre(NumaNode{0, {0, 1}}, NumaNode{2, {2, 6}}, NumaNode{10, {8, 9}}));
}

TEST_F(NumaNodes, LeaveOutNodesWithoutProcessors) {
  add("node0", "0-1\n");
  add("node1", "\n");
  EXPECT_THAT(numa_nodes(folder_), ElementsAre(NumaNode{0, {0, 1}}));
}

TEST_F(NumaNodes, IgnoreWhatIsNoNode) {
  add("node0", "0\n");
  add("nodes", "1\n");
  add("power", "1\n");
  add("node1", "damaged");
  std::ofstream(folder_ / "online") << "0-1\n";
  EXPECT_THAT(numa_nodes(folder_), ElementsAre(NumaNode{0, {0}}));
}

TEST_F(NumaNodes, AreOneWhereTheSystemDoesNotTell) {
  EXPECT_THAT(numa_nodes(folder_), ElementsAre(NumaNode{0, {}}));
  EXPECT_THAT(numa_nodes(folder_ / "missing"), ElementsAre(NumaNode{0, {}}));
}

TEST(ProcessorsNearADevice, AreThoseOfItsNodeIfThereAreEnough) {
  const std::vector<NumaNode> two{{0, {0, 1, 2, 3}}, {1, {4, 5, 6, 7}}};
  const std::vector<int> usable{0, 1, 4, 5, 6};
  EXPECT_THAT(processors_near(1, two, usable, 3), ElementsAre(4, 5, 6));
  EXPECT_THAT(processors_near(1, two, usable, 4), ElementsAre());
  EXPECT_THAT(processors_near(0, two, usable, 1), ElementsAre(0, 1));
  EXPECT_THAT(processors_near(2, two, usable, 1), ElementsAre());
  EXPECT_THAT(processors_near(0, {two[0]}, usable, 1), ElementsAre()) << "there is no other node";
}

TEST(NumaNodesOfThisMachine, AreNeverNone) { EXPECT_FALSE(numa_nodes().empty()); }

}  // namespace
}  // namespace stoker
