#include "src/sources/file_table.hpp"

#include "tests/sources/expect_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace stoker {
namespace {

using testing::ElementsAre;

std::vector<std::string> paths(const FileTable& table) {
  std::vector<std::string> result(table.size());
  for (std::size_t i = 0; i < result.size(); ++i) table.append_path(i, result[i]);
  return result;
}

TEST(FileTable, JoinsRootDirectoryAndName) {
  FileTable table("root");
  table.add(table.add_directory(""), "a.jpg", 0);
  table.add(table.add_directory("x/y"), "b.jpg", 0);
  table.add(table.add_directory("/else/where"), "c.jpg", 0);
  table.add(table.add_directory("/"), "d.jpg", 0);
  EXPECT_THAT(paths(table),
              ElementsAre("root/a.jpg", "root/x/y/b.jpg", "/else/where/c.jpg", "/d.jpg"));
}

TEST(FileTable, PutsNoSecondSlashBehindTheRootAndNoneBehindAnEmptyOne) {
  for (const auto& [root, expected] :
       {std::pair("", "x/a.jpg"), std::pair("/", "/x/a.jpg"), std::pair("r/", "r/x/a.jpg")}) {
    FileTable table(root);
    table.add(table.add_directory("x"), "a.jpg", 0);
    EXPECT_THAT(paths(table), ElementsAre(expected));
  }
}

TEST(FileTable, KeepsEachFilesLabel) {
  FileTable table("root");
  const auto directory = table.add_directory("x");
  table.add(directory, "a", std::int64_t{1} << 40);
  table.add(directory, "b", -7);
  EXPECT_EQ(table.label(0), std::int64_t{1} << 40);
  EXPECT_EQ(table.label(1), -7);
}

// '-' and '.' come before '/', so comparing piece by piece would give another order.
TEST(FileTable, SortsByWholeDirectoryPathThenByNameFromAPlaceOn) {
  FileTable table("");
  table.add(table.add_directory("z"), "first.jpg", 0);
  const auto below = table.add_directory("c/x/deep");
  const auto dashed = table.add_directory("c/x-y");
  const auto plain = table.add_directory("c/x");
  table.add(below, "1.jpg", 0);
  table.add(dashed, "b.jpg", 0);
  table.add(dashed, "B.jpg", 0);
  table.add(plain, "9.jpg", 0);
  table.add(plain, "10.jpg", 0);
  table.sort_from(1);
  EXPECT_THAT(paths(table), ElementsAre("z/first.jpg", "c/x/10.jpg", "c/x/9.jpg", "c/x-y/B.jpg",
                                        "c/x-y/b.jpg", "c/x/deep/1.jpg"));
}

TEST(FileTable, SortsBytesAboveAsciiBehindAscii) {
  FileTable table("");
  const auto directory = table.add_directory("d");
  table.add(directory, "\xC3\xA9.jpg", 0);
  table.add(directory, "z.jpg", 0);
  table.sort_from(0);
  EXPECT_THAT(paths(table), ElementsAre("d/z.jpg", "d/\xC3\xA9.jpg"));
}

TEST(FileTable, RefusesAnIndexBehindTheLast) {
  FileTable table("");
  table.add(table.add_directory(""), "a", 0);
  message_of_error(ErrorCode::invalid_argument, [&] { static_cast<void>(table.label(1)); });
  std::string text;
  message_of_error(ErrorCode::invalid_argument, [&] { table.append_path(1, text); });
}

TEST(FileTable, HasAFingerprintWithoutTheRoot) {
  const auto filled = [](const char* root, std::int64_t label) {
    auto table = std::make_unique<FileTable>(root);
    table->add(table->add_directory("x"), "a.jpg", label);
    return table;
  };
  EXPECT_EQ(filled("here", 1)->fingerprint(), filled("/else/where", 1)->fingerprint());
  EXPECT_NE(filled("here", 1)->fingerprint(), filled("here", 2)->fingerprint());
}

TEST(FileTable, HasTheSameFingerprintHoweverItsPathsAreSplit) {
  FileTable split("r");
  split.add(split.add_directory("x/y"), "a.jpg", 1);
  FileTable whole("r");
  whole.add(whole.add_directory(""), "x/y/a.jpg", 1);
  EXPECT_EQ(split.fingerprint(), whole.fingerprint());
}

TEST(FileTable, ComputesItsFingerprintOnceForManyThreads) {
  FileTable table("");
  const auto directory = table.add_directory("d");
  for (int i = 0; i < 1000; ++i) table.add(directory, std::to_string(i), i);
  std::vector<const std::string*> seen(4);
  {
    std::vector<std::jthread> threads;
    for (auto& text : seen) threads.emplace_back([&] { text = &table.fingerprint(); });
  }
  for (const auto* text : seen) EXPECT_EQ(text, seen[0]);
  EXPECT_EQ(seen[0]->size(), 32U);
}

}  // namespace
}  // namespace stoker
