#include <stoker/sources/image_folder.hpp>

#include "tests/sources/expect_error.hpp"
#include "tests/sources/system_calls.hpp"
#include "tests/sources/temporary_folder.hpp"
#include "tests/sources/unprivileged.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

namespace stoker {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The paths below the root, each with its label: "cat/1.jpg 0".
std::vector<std::string> listed(const FileSource& source, const std::filesystem::path& root) {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    result.push_back(source.path(i).substr(root.string().size() + 1) + " " +
                     std::to_string(source.label(i)));
  }
  return result;
}

std::string error_of_opening(ErrorCode code, const std::filesystem::path& root) {
  return message_of_error(code, [&] { ImageFolder source(root); });
}

TEST(ImageFolder, NumbersTheSubfoldersInTheOrderOfTheirNames) {
  const TemporaryFolder folder;
  for (const char* file : {"dog/1.jpg", "Zebra/1.jpg", "cat/1.jpg", "10/1.jpg", "9/1.jpg"}) {
    folder.write(file);
  }
  const ImageFolder source(folder.path());
  EXPECT_THAT(source.classes(), ElementsAre("10", "9", "Zebra", "cat", "dog"));
  EXPECT_EQ(source.class_to_index("cat"), 3);
  EXPECT_EQ(source.class_to_index("cow"), std::nullopt);
  EXPECT_THAT(listed(source, folder.path()), ElementsAre("10/1.jpg 0", "9/1.jpg 1", "Zebra/1.jpg 2",
                                                         "cat/1.jpg 3", "dog/1.jpg 4"));
}

TEST(ImageFolder, TakesNestedFilesInTheOrderOfTheirFoldersWholePaths) {
  const TemporaryFolder folder;
  for (const char* file : {"c/b/2.jpg", "c/b-a/1.jpg", "c/b/deep/0.jpg", "c/a/9.jpg", "c/z.jpg",
                           "c/b/1.jpg", "c/A.jpg"}) {
    folder.write(file);
  }
  EXPECT_THAT(listed(ImageFolder(folder.path()), folder.path()),
              ElementsAre("c/A.jpg 0", "c/z.jpg 0", "c/a/9.jpg 0", "c/b/1.jpg 0", "c/b/2.jpg 0",
                          "c/b-a/1.jpg 0", "c/b/deep/0.jpg 0"));
}

TEST(ImageFolder, LeavesOutOtherFilesAndImagesOutsideOfClasses) {
  const TemporaryFolder folder;
  for (const char* file : {"top.jpg", "c/a.txt", "c/a.JPEG", "c/b.gif", "c/c.WebP"}) {
    folder.write(file);
  }
  EXPECT_THAT(listed(ImageFolder(folder.path()), folder.path()),
              ElementsAre("c/a.JPEG 0", "c/c.WebP 0"));
}

TEST(ImageFolder, FollowsLinksToFilesAndFolders) {
  const TemporaryFolder folder;
  folder.write("real/1.jpg");
  folder.write("elsewhere/x/2.jpg");
  folder.make_folder("root");
  folder.link("../real", "root/a");
  folder.make_folder("root/b");
  folder.link("../../elsewhere", "root/b/more");
  folder.link("../../real/1.jpg", "root/b/file.jpg");
  folder.link("../../real", "root/b/folder.jpg");
  EXPECT_THAT(listed(ImageFolder(folder / "root"), folder / "root"),
              ElementsAre("a/1.jpg 0", "b/file.jpg 1", "b/folder.jpg/1.jpg 1", "b/more/x/2.jpg 1"));
}

TEST(ImageFolder, EndsWhereALinkLeadsBack) {
  const TemporaryFolder folder;
  folder.write("c/1.jpg");
  folder.write("c/deep/2.jpg");
  folder.link(".", "c/self");
  folder.link("../..", "c/deep/root");
  folder.link("..", "c/deep/up");
  EXPECT_THAT(listed(ImageFolder(folder.path()), folder.path()),
              ElementsAre("c/1.jpg 0", "c/deep/2.jpg 0"));
}

TEST(ImageFolder, ListsABrokenLinkAndFailsToReadIt) {
  const TemporaryFolder folder;
  folder.make_folder("c");
  folder.link("nothing", "c/broken.jpg");
  const ImageFolder source(folder.path());
  ASSERT_EQ(source.size(), 1U);
  EncodedSample sample;
  const Status status = source.read(0, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::not_found);
  EXPECT_THAT(status.error().message, HasSubstr("c/broken.jpg"));
}

TEST(ImageFolder, OpensNoFileAndLooksAtNone) {
  const TemporaryFolder folder;
  for (const char* file : {"a/1.jpg", "a/2.jpg", "a/3.txt", "b/1.jpg"}) folder.write(file);
  const int opens = SystemCalls::opens;
  const int looks = SystemCalls::looks;
  const ImageFolder source(folder.path());
  EXPECT_EQ(SystemCalls::opens, opens);
  EXPECT_EQ(SystemCalls::looks, looks) << "(a file system that does not tell kinds needs looks)";
  EncodedSample sample;
  ASSERT_TRUE(source.read(0, sample));
  EXPECT_EQ(SystemCalls::opens, opens + 1) << "counting does not work";
}

TEST(ImageFolder, LooksAtLinksOnly) {
  const TemporaryFolder folder;
  folder.write("a/1.jpg");
  folder.link("1.jpg", "a/2.jpg");
  const int looks = SystemCalls::looks;
  EXPECT_EQ(ImageFolder(folder.path()).size(), 2U);
  EXPECT_EQ(SystemCalls::looks, looks + 1);
}

TEST(ImageFolder, ReadsSamplesWithTheirLabels) {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", "one");
  folder.write("b/2.jpg", "two!");
  const ImageFolder source(folder.path());
  EncodedSample sample;
  ASSERT_TRUE(source.read(1, sample));
  EXPECT_EQ(sample.bytes.size(), 4U);
  EXPECT_EQ(sample.label, 1);
  EXPECT_EQ(source.name(1), (folder / "b/2.jpg").string());
  EXPECT_FALSE(source.in_memory());
}

TEST(ImageFolder, NamesEveryClassFolderWithoutAnImage) {
  const TemporaryFolder folder;
  folder.write("full/1.jpg");
  folder.write("notes/readme.txt");
  folder.make_folder("hollow/deep");
  EXPECT_THAT(error_of_opening(ErrorCode::empty_class, folder.path()),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("\"hollow\""),
                    HasSubstr("\"notes\""), Not(HasSubstr("\"full\""))));
}

TEST(ImageFolder, AcceptsClassFoldersWithoutAnImageWhereAsked) {
  const TemporaryFolder folder;
  folder.make_folder("a");
  folder.write("b/1.jpg");
  const ImageFolder source(folder.path(), {.allow_empty = true});
  EXPECT_THAT(source.classes(), ElementsAre("a", "b"));
  EXPECT_THAT(listed(source, folder.path()), ElementsAre("b/1.jpg 1"));
}

TEST(ImageFolder, RefusesAFolderWithoutAnyImageEvenWhereEmptyClassesAreAccepted) {
  const TemporaryFolder folder;
  folder.make_folder("a");
  message_of_error(ErrorCode::empty_source,
                   [&] { ImageFolder source(folder.path(), {.allow_empty = true}); });
}

TEST(ImageFolder, SaysWhatToUseForAFolderWithoutClassFolders) {
  const TemporaryFolder folder;
  folder.write("1.jpg");
  EXPECT_THAT(
      error_of_opening(ErrorCode::empty_source, folder.path()),
      AllOf(HasSubstr(folder.path().string()), HasSubstr("FlatFolder"), HasSubstr("FileList")));
}

TEST(ImageFolder, RefusesAMissingRootAFileAndAnEmptyPath) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of_opening(ErrorCode::not_found, folder / "missing"),
              HasSubstr((folder / "missing").string()));
  EXPECT_THAT(error_of_opening(ErrorCode::invalid_argument, folder.write("file")),
              HasSubstr("file"));
  EXPECT_THAT(error_of_opening(ErrorCode::not_found, ""), HasSubstr("\"\""));
}

TEST(ImageFolder, RefusesASubfolderThatMayNotBeRead) {
  const TemporaryFolder folder;
  folder.write("c/1.jpg");
  folder.make_folder("c/secret");
  const auto secret = folder.lock("c/secret");
  const Unprivileged user;
  if (!user.works()) GTEST_SKIP() << "root cannot give up its privileges here";
  EXPECT_THAT(error_of_opening(ErrorCode::permission_denied, folder.path()),
              HasSubstr(secret.string()));
}

TEST(ImageFolder, FailsForAFileWithoutPermissionAndGoesOn) {
  const TemporaryFolder folder;
  folder.write("c/1.jpg");
  folder.write("c/2.jpg", "two");
  const auto secret = folder.lock("c/1.jpg");
  const Unprivileged user;
  if (!user.works()) GTEST_SKIP() << "root cannot give up its privileges here";
  const ImageFolder source(folder.path());
  EncodedSample sample;
  const Status status = source.read(0, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::permission_denied);
  EXPECT_THAT(status.error().message, HasSubstr(secret.string()));
  EXPECT_TRUE(source.read(1, sample));
}

TEST(ImageFolder, ListsAPipeAndFailsToReadIt) {
  const TemporaryFolder folder;
  folder.make_folder("c");
  ASSERT_EQ(::mkfifo((folder / "c/pipe.jpg").c_str(), 0600), 0);
  const ImageFolder source(folder.path());
  EncodedSample sample;
  const Status status = source.read(0, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::io_error);
}

TEST(ImageFolder, HasTheSameFingerprintWhereverTheRootLies) {
  const TemporaryFolder here, there;
  for (const auto* folder : {&here, &there}) {
    folder->write("a/1.jpg");
    folder->write("b/x/2.jpg");
  }
  const ImageFolder source(here.path());
  EXPECT_EQ(source.fingerprint(), ImageFolder(there.path()).fingerprint());
  EXPECT_EQ(source.fingerprint(), ImageFolder(here.path().string() + "/").fingerprint());
  there.write("b/x/3.jpg");
  EXPECT_NE(source.fingerprint(), ImageFolder(there.path()).fingerprint());
}

TEST(ImageFolder, CopiesShareTheirFiles) {
  const TemporaryFolder folder;
  folder.write("a/1.jpg");
  const ImageFolder source(folder.path());
  const ImageFolder copy = source;
  EXPECT_EQ(copy.path(0), source.path(0));
  EXPECT_EQ(copy.classes(), source.classes());
}

}  // namespace
}  // namespace stoker
