#include "src/engine/available_memory.hpp"

#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace stoker {
namespace {

class AvailableMemory : public ::testing::Test {
 protected:
  ~AvailableMemory() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::size_t bytes() const {
    return available_memory((root_ / "meminfo").string(), (root_ / "cgroup").string(),
                            (root_ / "fs").string());
  }

  std::filesystem::path root_ = std::filesystem::path(::testing::TempDir()) /
                                ("stoker_memory_test_" + std::to_string(::getpid()));
};

TEST_F(AvailableMemory, IsTheSystemsOrLessByTheGroupsLimit) {
  write("meminfo", "MemTotal: 99 kB\nMemFree: 1 kB\nMemAvailable:    2000 kB\n");
  EXPECT_EQ(bytes(), 2000U * 1024);
  write("cgroup", "0::/a/b\n");
  write("fs/a/memory.max", "1000000\n");
  write("fs/a/memory.current", "400000\n");
  write("fs/a/b/memory.max", "max\n");
  write("fs/a/b/memory.current", "1\n");
  EXPECT_EQ(bytes(), 600000U);
  write("fs/a/memory.current", "2000000\n");
  EXPECT_EQ(bytes(), 0U);
}

TEST_F(AvailableMemory, IsUnlimitedWhereNothingIsSaid) {
  EXPECT_GT(bytes(), std::size_t{1} << 60);
  write("meminfo", "nonsense");
  EXPECT_GT(bytes(), std::size_t{1} << 60);
}

TEST(LoaderMemory, RefusesARingThatMemoryCannotHold) {
  LoaderOptions options;
  options.batch_size = 1 << 20;
  options.num_workers = 1;
  const auto producer =
      std::make_shared<testing::FakeProducer>(std::uint64_t{1} << 20, true, std::int64_t{1} << 24);
  try {
    Loader loader(producer, options);
    FAIL() << "16 TiB a slot";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("batch_size"));
  }
}

TEST(LoaderMemory, SlotsAreNoLargerThanTheLargestBatch) {
  LoaderOptions options;
  options.batch_size = 1 << 20;
  options.num_workers = 1;
  Loader loader(std::make_shared<testing::FakeProducer>(3, true, std::int64_t{1} << 24), options);
  Epoch epoch = loader.epoch(0);
  EXPECT_EQ(epoch.next()->size(), 3U);
}

}  // namespace
}  // namespace stoker
