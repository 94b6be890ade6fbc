#include "src/sources/image_scan.hpp"

#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(ImageScan, KnowsImagesByTheirExtensionInAnyCase) {
  for (const char* name : {"a.jpg", "a.JPEG", "a.Png", "a.ppm", "a.bmp", "a.pgm", "a.tif", "a.tiff",
                           "a.WEBP", "a.b.jpg", ".jpg"}) {
    EXPECT_TRUE(has_image_extension(name)) << name;
  }
  for (const char* name : {"a.jpg.txt", "a.gif", "jpg", "a.jpeg2", "", "a.jpg "}) {
    EXPECT_FALSE(has_image_extension(name)) << name;
  }
}

TEST(ImageScan, ReportsProgressWithGrowingCounts) {
  const TemporaryFolder folder;
  for (const char* file : {"a/1.jpg", "a/2.jpg", "b/1.jpg", "b/deep/2.jpg"}) folder.write(file);
  std::vector<std::uint64_t> reports;
  const ScanProgress progress = [&](std::uint64_t files) { reports.push_back(files); };
  ImageScan scan(folder.path(), progress, std::chrono::nanoseconds(0));
  scan.add_tree("a", 0);
  EXPECT_THAT(reports, ElementsAre(2));
  scan.add_tree("b", 1);
  EXPECT_THAT(reports, ElementsAre(2, 3, 4));
}

TEST(ImageScan, ReportsWithinALargeFolderToo) {
  const TemporaryFolder folder;
  for (int i = 0; i < 1500; ++i) folder.write(std::to_string(i) + ".jpg", "");
  std::vector<std::uint64_t> reports;
  const ScanProgress progress = [&](std::uint64_t files) { reports.push_back(files); };
  ImageScan(folder.path(), progress, std::chrono::nanoseconds(0)).add_tree("", 0);
  EXPECT_THAT(reports, ElementsAre(1024, 1500));
}

TEST(ImageScan, StaysSilentUntilTheIntervalHasPassed) {
  const TemporaryFolder folder;
  folder.write("1.jpg");
  int reports = 0;
  const ScanProgress progress = [&](std::uint64_t) { ++reports; };
  ImageScan(folder.path(), progress, std::chrono::hours(1)).add_tree("", 0);
  EXPECT_EQ(reports, 0);
}

TEST(ImageScan, EndsWhereTheProgressFunctionThrows) {
  const TemporaryFolder folder;
  folder.write("1.jpg");
  const ScanProgress progress = [](std::uint64_t) { throw std::runtime_error("stop"); };
  ImageScan scan(folder.path(), progress, std::chrono::nanoseconds(0));
  EXPECT_THROW(scan.add_tree("", 0), std::runtime_error);
}

}  // namespace
}  // namespace stoker
