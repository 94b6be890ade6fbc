#include "src/sources/read_file.hpp"

#include "tests/sources/temporary_folder.hpp"
#include "tests/sources/unprivileged.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

namespace stoker {
namespace {

using testing::HasSubstr;

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ErrorCode failure_of(const std::string& path) {
  std::vector<std::byte> storage;
  const auto result = read_file(path, storage);
  if (result) throw std::logic_error("read " + path);
  EXPECT_THAT(result.error().message, HasSubstr("\"" + path + "\""));
  return result.error().code;
}

TEST(ReadFile, GivesTheWholeFile) {
  const TemporaryFolder folder;
  std::string content(300'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 256);
  const auto file = folder.write("a", content);
  std::vector<std::byte> storage;
  const auto bytes = read_file(file.string(), storage);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(text(*bytes), content);
}

TEST(ReadFile, UsesItsStorageAgainAndGivesOnlyTheNewBytes) {
  const TemporaryFolder folder;
  std::vector<std::byte> storage;
  ASSERT_TRUE(read_file(folder.write("large", std::string(100'000, 'L')).string(), storage));
  const std::byte* place = storage.data();
  const std::size_t size = storage.size();
  const auto bytes = read_file(folder.write("small", "abc").string(), storage);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(text(*bytes), "abc");
  EXPECT_EQ(bytes->data(), place);
  EXPECT_EQ(storage.size(), size) << "shrinking would clear bytes again at the next large file";
}

TEST(ReadFile, FailsForAFileThatDoesNotExist) {
  const TemporaryFolder folder;
  EXPECT_EQ(failure_of(folder / "nothing.jpg"), ErrorCode::not_found);
  EXPECT_EQ(failure_of(folder.write("file") / "below.jpg"), ErrorCode::not_found);
}

TEST(ReadFile, FailsForAFileOfZeroBytes) {
  const TemporaryFolder folder;
  EXPECT_EQ(failure_of(folder.write("empty.jpg", "")), ErrorCode::empty_file);
}

TEST(ReadFile, FailsForADirectory) {
  const TemporaryFolder folder;
  EXPECT_EQ(failure_of(folder.path()), ErrorCode::io_error);
}

TEST(ReadFile, FailsForAPipeWithoutWaitingForAWriter) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe.jpg";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(failure_of(pipe), ErrorCode::io_error);
}

TEST(ReadFile, FailsForALinkToItself) {
  const TemporaryFolder folder;
  folder.link("loop.jpg", "loop.jpg");
  EXPECT_EQ(failure_of(folder / "loop.jpg"), ErrorCode::io_error);
}

TEST(ReadFile, FailsWithoutPermission) {
  const TemporaryFolder folder;
  folder.write("secret.jpg");
  const auto file = folder.lock("secret.jpg");
  const Unprivileged user;
  if (!user.works()) GTEST_SKIP() << "root cannot give up its privileges here";
  EXPECT_EQ(failure_of(file), ErrorCode::permission_denied);
}

}  // namespace
}  // namespace stoker
