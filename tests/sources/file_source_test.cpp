#include <stoker/sources/file_source.hpp>

#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"
#include <stoker/sources/file_list.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

namespace stoker {
namespace {

using testing::HasSubstr;

std::string text(const EncodedSample& sample) {
  return {reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size()};
}

TEST(FileSource, UsesASamplesStorageAgain) {
  const TemporaryFolder folder;
  folder.write("large.jpg", std::string(50'000, 'L'));
  folder.write("small.jpg", "abc");
  const FileList source({{"large.jpg", 1}, {"small.jpg", 2}}, folder.path());
  EncodedSample sample;
  ASSERT_TRUE(source.read(0, sample));
  const std::byte* place = sample.storage.data();
  ASSERT_TRUE(source.read(1, sample));
  EXPECT_EQ(text(sample), "abc");
  EXPECT_EQ(sample.label, 2);
  EXPECT_EQ(sample.bytes.data(), place);
}

TEST(FileSource, FailsForAFileThatVanishedAndGoesOn) {
  const TemporaryFolder folder;
  folder.write("1.jpg", "one");
  folder.write("2.jpg", "two");
  const FileList source({{"1.jpg", 0}, {"2.jpg", 0}}, folder.path());
  std::filesystem::remove(folder / "1.jpg");
  EncodedSample sample;
  const Status status = source.read(0, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::not_found);
  EXPECT_THAT(status.error().message, HasSubstr((folder / "1.jpg").string()));
  EXPECT_THAT(status.error().message, HasSubstr("vanished"));
  ASSERT_TRUE(source.read(1, sample));
  EXPECT_EQ(text(sample), "two");
}

TEST(FileSource, FailsForAFileOfZeroBytes) {
  const TemporaryFolder folder;
  folder.write("empty.jpg", "");
  const FileList source(std::vector<FileList::Item>{{"empty.jpg", 0}}, folder.path());
  EncodedSample sample;
  const Status status = source.read(0, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::empty_file);
}

TEST(FileSource, RefusesAnIndexBehindTheLast) {
  const FileList source(std::vector<FileList::Item>{{"1.jpg", 0}});
  EncodedSample sample;
  EXPECT_THAT(message_of_error(ErrorCode::invalid_argument,
                               [&] { static_cast<void>(source.read(1, sample)); }),
              HasSubstr("sample 1"));
  message_of_error(ErrorCode::invalid_argument, [&] { static_cast<void>(source.name(1)); });
  message_of_error(ErrorCode::invalid_argument, [&] { static_cast<void>(source.label(1)); });
}

TEST(FileSource, IsReadByManyThreadsAtOnce) {
  const TemporaryFolder folder;
  std::vector<FileList::Item> items;
  for (int i = 0; i < 50; ++i) {
    const std::string name = std::to_string(i) + ".jpg";
    folder.write(name, "content of " + name);
    items.push_back({name, i});
  }
  const FileList source(items, folder.path());
  std::array<int, 4> correct{};
  {
    std::vector<std::jthread> threads;
    for (int& count : correct) {
      threads.emplace_back([&] {
        EncodedSample sample;
        for (std::uint64_t i = 0; i < source.size(); ++i) {
          count += source.read(i, sample) && sample.label == static_cast<std::int64_t>(i) &&
                   text(sample) == "content of " + std::to_string(i) + ".jpg";
        }
      });
    }
  }
  EXPECT_THAT(correct, testing::Each(50));
}

}  // namespace
}  // namespace stoker
