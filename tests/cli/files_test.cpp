#include "cli/files.hpp"

#include "tests/cli/file_size_limit.hpp"
#include "tests/cli/run_command.hpp"
#include <stoker/core/error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <span>
#include <string>

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;

template <class Code>
ErrorCode code_of_error(Code code) {
  try {
    code();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "there was no error";
  return {};
}

TEST(CheckWritable, LeavesAFileAsItIs) {
  const TemporaryFolder folder;
  const std::string file = folder.write("figures", "of yesterday");
  check_writable(file);
  EXPECT_EQ(content_of(file), "of yesterday");
}

TEST(CheckWritable, LeavesNoFileWhereThereIsNone) {
  const TemporaryFolder folder;
  check_writable(folder / "figures");
  EXPECT_FALSE(fs::exists(folder / "figures"));
  fs::create_symlink("figures", folder / "link");
  check_writable(folder / "link");
  EXPECT_FALSE(fs::exists(folder / "figures"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
}

TEST(CheckWritable, WaitsForNoReader) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  check_writable(folder / "pipe");
  check_writable("/dev/null");
}

TEST(CheckWritable, SaysWhatIsInTheWay) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  EXPECT_EQ(code_of_error([&] { check_writable(folder / "missing/figures"); }),
            ErrorCode::not_found);
  EXPECT_EQ(code_of_error([&] { check_writable(file + "/figures"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of_error([&] { check_writable(folder.string()); }), ErrorCode::io_error);
}

TEST(WriteFile, LeavesNoHalfOfAFile) {
  const TemporaryFolder folder;
  const std::string text(10000, 'x');
  const std::string file = folder.write("figures", "of yesterday");
  {
    const FileSizeLimit full_disk(5000);
    EXPECT_EQ(code_of_error([&] { write_file(file, std::as_bytes(std::span(text))); }),
              ErrorCode::io_error);
  }
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace stoker::cli
