#include <stoker/sources/file_list.hpp>

#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace stoker {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> listed(const FileList& source) {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    result.push_back(source.path(i) + " " + std::to_string(source.label(i)));
  }
  return result;
}

std::string error_of(ErrorCode code, const std::filesystem::path& list) {
  return message_of_error(code, [&] { FileList source(list); });
}

TEST(FileList, TakesRelativePathsFromTheListsFolderInTheListsOrder) {
  const TemporaryFolder folder;
  const auto list = folder.write("sets/train.txt", "z/2.jpg 7\n/elsewhere/1.jpg 0\n3.jpg -1\n");
  EXPECT_THAT(listed(FileList(list)),
              ElementsAre((folder / "sets/z/2.jpg").string() + " 7", "/elsewhere/1.jpg 0",
                          (folder / "sets/3.jpg").string() + " -1"));
}

TEST(FileList, TakesAnotherFolderWhereGiven) {
  const TemporaryFolder folder;
  const auto list = folder.write("train.txt", "1.jpg 7");
  EXPECT_THAT(listed(FileList(list, {.root = "photos"})), ElementsAre("photos/1.jpg 7"));
}

TEST(FileList, ReadsCsvWithHeaderQuotesCrlfAndByteOrderMark) {
  const TemporaryFolder folder;
  const auto list =
      folder.write("a.csv", "\xEF\xBB\xBFpath,label\r\n\"a, b.jpg\",1\r\n\r\n  \r\nc.jpg,2\r\n");
  EXPECT_THAT(listed(FileList(list, {.root = ""})), ElementsAre("a, b.jpg 1", "c.jpg 2"));
}

TEST(FileList, ReadsALastLineWithoutAnEnd) {
  const TemporaryFolder folder;
  EXPECT_EQ(FileList(folder.write("a.txt", "a.jpg 1\nb.jpg 2")).size(), 2U);
}

TEST(FileList, NeitherOpensNorChecksFiles) {
  const TemporaryFolder folder;
  const FileList source(folder.write("a.txt", "missing.jpg 1\n"));
  EncodedSample sample;
  const Status status = source.read(0, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::not_found);
  EXPECT_THAT(status.error().message, HasSubstr((folder / "missing.jpg").string()));
}

TEST(FileList, ReadsSamplesWithTheirLabels) {
  const TemporaryFolder folder;
  folder.write("x/1.jpg", "abc");
  const FileList source(folder.write("a.txt", "x/1.jpg 5\n"));
  EncodedSample sample;
  ASSERT_TRUE(source.read(0, sample));
  EXPECT_EQ(sample.bytes.size(), 3U);
  EXPECT_EQ(sample.label, 5);
}

TEST(FileList, NamesListLineAndTextOfAMistake) {
  const TemporaryFolder folder;
  const auto list = folder.write("bad.csv", "path,label\n\na.jpg,1\nb.jpg,cat\n");
  EXPECT_THAT(error_of(ErrorCode::bad_list, list),
              AllOf(HasSubstr(list.string()), HasSubstr("line 4"), HasSubstr("b.jpg,cat"),
                    HasSubstr("not a whole number")));
}

TEST(FileList, TakesAHeaderAsTheFirstLineOnly) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(ErrorCode::bad_list, folder.write("a.csv", "a.jpg,1\npath,label\n")),
              HasSubstr("line 2"));
}

TEST(FileList, KeepsMistakesPrintableAndShort) {
  const TemporaryFolder folder;
  const auto list = folder.write("bad.txt", "\x01\x02" + std::string(10'000, 'x') + "\n");
  const std::string message = error_of(ErrorCode::bad_list, list);
  EXPECT_THAT(message, HasSubstr("??xxx"));
  EXPECT_LT(message.size(), 500U);
}

TEST(FileList, RefusesAPathThatNamesNoFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(ErrorCode::bad_list, folder.write("a.txt", "folder/ 1\n")),
              HasSubstr("does not name a file"));
  EXPECT_THAT(
      error_of(ErrorCode::bad_list, folder.write("b.txt", std::string_view("a\0b.jpg 1\n", 10))),
      HasSubstr("zero byte"));
}

TEST(FileList, RefusesAListWithoutFiles) {
  const TemporaryFolder folder;
  for (const char* content : {"", "\n \n", "path,label\n"}) {
    EXPECT_THAT(error_of(ErrorCode::empty_source, folder.write("empty.txt", content)),
                HasSubstr("empty.txt"));
  }
}

TEST(FileList, RefusesAMissingListAndAFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(ErrorCode::not_found, folder / "no.txt"), HasSubstr("no.txt"));
  EXPECT_THAT(error_of(ErrorCode::io_error, folder.path()), HasSubstr(folder.path().string()));
}

TEST(FileList, TakesPathsAndLabelsFromMemory) {
  const FileList source({{"a/1.jpg", 4}, {"/b/2.jpg", 5}, {"c.jpg", 6}}, "root");
  EXPECT_THAT(listed(source), ElementsAre("root/a/1.jpg 4", "/b/2.jpg 5", "root/c.jpg 6"));
  EXPECT_THAT(listed(FileList(std::vector<FileList::Item>{{"a/1.jpg", 4}})),
              ElementsAre("a/1.jpg 4"));
}

TEST(FileList, RefusesItemsFromMemoryWithoutAPath) {
  EXPECT_THAT(message_of_error(ErrorCode::bad_list,
                               [] {
                                 FileList source({{"a.jpg", 1}, {"", 2}});
                               }),
              HasSubstr("item 1"));
  message_of_error(ErrorCode::empty_source, [] { FileList source(std::vector<FileList::Item>{}); });
}

TEST(FileList, HasTheSameFingerprintWhereverTheListLiesAndHoweverPathsAreWritten) {
  const TemporaryFolder here, there;
  const FileList relative(here.write("a.txt", "x/1.jpg 1\ny/2.jpg 2\n"));
  const FileList absolute(there.write(
      "b.csv", (there / "x/1.jpg").string() + ",1\n" + (there / "y/2.jpg").string() + ",2\n"));
  EXPECT_EQ(relative.fingerprint(), absolute.fingerprint());
  EXPECT_EQ(absolute.path(0), (there / "x/1.jpg").string());
  EXPECT_NE(relative.fingerprint(),
            FileList(here.write("c.txt", "x/1.jpg 1\ny/2.jpg 3\n")).fingerprint());
}

}  // namespace
}  // namespace stoker
