#include "src/sources/directory.hpp"

#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"
#include "tests/sources/unprivileged.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

namespace stoker {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

std::map<std::string, bool> entries(const std::string& path) {
  std::map<std::string, bool> result;
  Directory directory(path);
  while (const auto entry = directory.next()) result.emplace(entry->name, entry->is_directory);
  return result;
}

TEST(Directory, TellsDirectoriesAndLinksToThemFromEverythingElse) {
  const TemporaryFolder folder;
  folder.write("file");
  folder.make_folder("folder");
  folder.link("folder", "link to folder");
  folder.link("file", "link to file");
  folder.link("nothing", "broken link");
  EXPECT_THAT(
      entries(folder.path()),
      UnorderedElementsAre(Pair("file", false), Pair("folder", true), Pair("link to folder", true),
                           Pair("link to file", false), Pair("broken link", false)));
}

TEST(Directory, LooksAtAnEntryWhoseKindTheFileSystemDoesNotTell) {
  const TemporaryFolder folder;
  folder.write("file");
  folder.make_folder("folder");
  const int directory = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(directory, 0);
  EXPECT_TRUE(is_directory(directory, "folder", DT_UNKNOWN));
  EXPECT_FALSE(is_directory(directory, "file", DT_UNKNOWN));
  EXPECT_FALSE(is_directory(directory, "nothing", DT_UNKNOWN));
  ::close(directory);
}

TEST(Directory, IsTheSameByEveryPath) {
  const TemporaryFolder folder;
  folder.make_folder("a");
  folder.link("a", "b");
  EXPECT_EQ(Directory(folder / "a").identity(), Directory(folder / "b").identity());
  EXPECT_FALSE(Directory(folder / "a").identity() == Directory(folder.path()).identity());
}

TEST(Directory, RefusesAMissingPathAndAFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of_error(ErrorCode::not_found, [&] { Directory directory(folder / "no"); }),
              HasSubstr((folder / "no").string()));
  const auto file = folder.write("file");
  EXPECT_THAT(message_of_error(ErrorCode::invalid_argument, [&] { Directory directory(file); }),
              HasSubstr(file.string()));
}

TEST(Directory, RefusesADirectoryThatMayNotBeRead) {
  const TemporaryFolder folder;
  folder.make_folder("secret");
  const auto secret = folder.lock("secret");
  const Unprivileged user;
  if (!user.works()) GTEST_SKIP() << "root cannot give up its privileges here";
  EXPECT_THAT(message_of_error(ErrorCode::permission_denied, [&] { Directory directory(secret); }),
              HasSubstr(secret.string()));
}

}  // namespace
}  // namespace stoker
