#include "cli/synth_set.hpp"

#include "tests/cli/file_size_limit.hpp"
#include <stoker/core/error.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using Files = std::map<std::string, std::string>;

class SynthSet : public testing::Test {
 protected:
  SynthSet() : folder(fs::temp_directory_path() / ("stoker_synth_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
    options.folder = folder / "set";
    options.count = 6;
    options.classes = 2;
    options.seed = 1;
  }
  ~SynthSet() override { fs::remove_all(folder); }

  SynthResult make() {
    return make_synth_set(options, [this](std::uint64_t images) { progress += images; });
  }
  void expect_error(ErrorCode code, const std::string& text) {
    try {
      make();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_THAT(error.message(), HasSubstr(text));
    }
  }
  Files files() const {
    Files found;
    for (const auto& entry : fs::recursive_directory_iterator(options.folder))
      if (entry.is_regular_file()) found[fs::relative(entry, options.folder)] = read(entry);
    return found;
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  fs::path folder;
  SynthOptions options;
  std::uint64_t progress = 0;
};

TEST_F(SynthSet, LaysImagesOutAsClassFolders) {
  const SynthResult result = make();
  EXPECT_EQ(result.written, 6U);
  EXPECT_EQ(result.kept, 0U);
  EXPECT_EQ(progress, 6U);
  std::uint64_t bytes = 0;
  Files found = files();
  EXPECT_EQ(found.erase("stoker-synth.json"), 1U);
  for (const auto& [name, content] : found) bytes += content.size();
  EXPECT_EQ(bytes, result.bytes);
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found.begin()->first, "class_0000/class_0000_00000000.JPEG");
  EXPECT_EQ(found.rbegin()->first, "class_0001/class_0001_00000005.JPEG");
}

TEST_F(SynthSet, IsTheSameForAnyNumberOfWorkers) {
  make();
  const Files of_one = files();
  for (const int num_workers : {2, 5}) {
    options.folder = folder / std::to_string(num_workers);
    options.num_workers = num_workers;
    make();
    EXPECT_EQ(files(), of_one);
  }
}

TEST_F(SynthSet, GoesOnWhereAnEarlierRunStopped) {
  make();
  Files whole = files();
  const fs::path kept = options.folder / "class_0000/class_0000_00000000.JPEG";
  write(kept, "not made again");
  whole["class_0000/class_0000_00000000.JPEG"] = "not made again";
  fs::remove(options.folder / "class_0001/class_0001_00000003.JPEG");
  write(options.folder / "class_0001/class_0001_00000005.JPEG", "");
  const SynthResult result = make();
  EXPECT_EQ(result.written, 2U);
  EXPECT_EQ(result.kept, 4U);
  EXPECT_EQ(files(), whole);
}

TEST_F(SynthSet, GrowsWithItsCount) {
  make();
  options.count = 8;
  EXPECT_EQ(make().written, 2U);
  const Files grown = files();
  options.folder = folder / "at once";
  make();
  EXPECT_EQ(files(), grown);
}

TEST_F(SynthSet, RefusesAFolderThatHoldsSomethingElse) {
  fs::create_directories(options.folder);
  write(options.folder / "thesis.txt", "years of work");
  expect_error(ErrorCode::invalid_argument, options.folder.string() + " is not empty");
  options.force = true;
  EXPECT_EQ(make().written, 6U);
  EXPECT_EQ(read(options.folder / "thesis.txt"), "years of work");
}

TEST_F(SynthSet, RefusesToMixTwoSets) {
  make();
  const Files before = files();
  const SynthOptions first = options;
  for (const auto& change :
       {+[](SynthOptions& o) { o.seed = 2; }, +[](SynthOptions& o) { o.classes = 3; },
        +[](SynthOptions& o) { o.quality = 50; }, +[](SynthOptions& o) { o.count = 5; }}) {
    options = first;
    change(options);
    expect_error(ErrorCode::invalid_argument, "--force");
  }
  EXPECT_EQ(files(), before);
  options = first;
  options.seed = 2;
  options.force = true;
  EXPECT_EQ(make().written, 6U);
  EXPECT_NE(files(), before);
}

TEST_F(SynthSet, RefusesADamagedNote) {
  make();
  write(options.folder / "stoker-synth.json", "{\"count\": 6");
  expect_error(ErrorCode::invalid_argument, "is not empty");
}

TEST_F(SynthSet, RefusesOptionsOutOfRange) {
  const SynthOptions good = options;
  const auto refuses = [&](const char* text, auto change) {
    options = good;
    change();
    expect_error(ErrorCode::invalid_argument, text);
    EXPECT_FALSE(fs::exists(options.folder));
  };
  refuses("at least one image", [&] { options.count = 0; });
  refuses("cannot fill 7 classes", [&] { options.classes = 7; });
  refuses("cannot fill 0 classes", [&] { options.classes = 0; });
  refuses("quality", [&] { options.quality = 101; });
  refuses("quality", [&] { options.quality = 0; });
  refuses("num_workers", [&] { options.num_workers = 0; });
}

TEST_F(SynthSet, SaysWhereItCannotWrite) {
  write(folder / "file", "");
  options.folder = folder / "file";
  expect_error(ErrorCode::invalid_argument, options.folder.string() + " is no folder");
  options.folder = folder / "file" / "set";
  expect_error(ErrorCode::io_error, "cannot create " + options.folder.string());
  options.folder = "/sys/stoker_synth";  // closed to the superuser too
  expect_error(ErrorCode::permission_denied, "cannot create /sys/stoker_synth");
}

TEST_F(SynthSet, SaysThatTheDiskIsFullAndGoesOnLater) {
  {
    const FileSizeLimit limit(10'000);
    options.num_workers = 3;
    expect_error(ErrorCode::io_error, "cannot write " + options.folder.string());
  }
  for (const auto& [name, content] : files()) EXPECT_THAT(name, Not(HasSubstr(".part")));
  make();
  const Files continued = files();
  options.folder = folder / "at once";
  make();
  EXPECT_EQ(files(), continued);
}

}  // namespace
}  // namespace stoker::cli
