#include <stoker/sources/flat_folder.hpp>

#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FlatFolder, TakesImagesDirectlyInTheFolderAndBelowItWithLabelZero) {
  const TemporaryFolder folder;
  for (const char* file : {"2.jpg", "1.PNG", "notes.txt", "deep/er/3.jpg"}) folder.write(file);
  const FlatFolder source(folder.path());
  std::vector<std::string> paths;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(source.label(i), 0);
    paths.push_back(source.path(i));
  }
  EXPECT_THAT(paths, ElementsAre((folder / "1.PNG").string(), (folder / "2.jpg").string(),
                                 (folder / "deep/er/3.jpg").string()));
}

TEST(FlatFolder, EndsWhereALinkLeadsBack) {
  const TemporaryFolder folder;
  folder.write("1.jpg");
  folder.make_folder("deep");
  folder.link("..", "deep/up");
  EXPECT_EQ(FlatFolder(folder.path()).size(), 1U);
}

TEST(FlatFolder, RefusesAFolderWithoutImages) {
  const TemporaryFolder folder;
  folder.write("notes.txt");
  EXPECT_THAT(message_of_error(ErrorCode::empty_source, [&] { FlatFolder source(folder.path()); }),
              HasSubstr(folder.path().string()));
}

TEST(FlatFolder, RefusesAMissingFolder) {
  EXPECT_THAT(message_of_error(ErrorCode::not_found, [] { FlatFolder source("no/such/folder"); }),
              HasSubstr("no/such/folder"));
}

}  // namespace
}  // namespace stoker
