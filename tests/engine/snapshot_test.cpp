#include "src/engine/atomic_file.hpp"
#include "src/engine/snapshot_writer.hpp"
#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace stoker::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Snapshots : public ::testing::Test {
 protected:
  Snapshots()
      : folder_(fs::temp_directory_path() / ("stoker_snapshot_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Snapshots() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "state.json"; }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(file()).rdbuf();
    return text.str();
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  Loader loader(std::uint64_t every, std::uint64_t rank = 0, std::uint64_t world_size = 1) const {
    return Loader(
        std::make_shared<FakeProducer>(40),
        {.batch_size = 4, .rank = rank, .world_size = world_size, .snapshot = {file(), every}});
  }

  fs::path folder_;
};

TEST_F(Snapshots, AreTakenWhenTheBatchBehindIsAskedFor) {
  std::optional<Loader> run(loader(3));
  Epoch walk = run->epoch(2);
  for (int i = 0; i < 3; ++i) walk.next();
  EXPECT_FALSE(fs::exists(file()));
  walk.next();
  walk.next();
  run.reset();  // waits for the writer
  const LoaderState state = LoaderState::parse(text());
  EXPECT_EQ(state.epoch, 2U);
  EXPECT_EQ(state.position, 12U);
  EXPECT_EQ(files(), 1);
}

TEST_F(Snapshots, AreTakenAtEachEpochsEnd) {
  std::optional<Loader> run(loader(1000));
  for (const Batch& batch : run->epoch(5)) EXPECT_EQ(batch.size(), 4U);
  run.reset();
  const LoaderState state = LoaderState::parse(text());
  EXPECT_EQ(state.epoch, 6U);
  EXPECT_EQ(state.position, 0U);
}

TEST_F(Snapshots, AreWhatResumeOrStartGoesOnFrom) {
  {
    Loader first = loader(2);
    EXPECT_EQ(first.resume_or_start(file()), 0U);
    Epoch walk = first.epoch(0);
    for (int i = 0; i < 7; ++i) walk.next();
  }
  Loader second = loader(2);
  EXPECT_EQ(second.resume_or_start(file()), 0U);
  EXPECT_EQ(second.epoch(0).next()->indices()[0], 24U);
}

TEST_F(Snapshots, AreWrittenByRankZeroAlone) {
  {
    Loader second = loader(1, 1, 2);
    for (const Batch& batch : second.epoch(0)) EXPECT_EQ(batch.size(), 4U);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(Snapshots, NeedAPlaceThatCanBeWritten) {
  const auto code_of = [](const fs::path& path) {
    try {
      Loader(std::make_shared<FakeProducer>(4), {.snapshot = {path, 1}});
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      return error.code();
    }
    return ErrorCode::timeout;
  };
  EXPECT_EQ(code_of(folder_ / "missing" / "state.json"), ErrorCode::not_found);
  EXPECT_EQ(code_of(folder_), ErrorCode::io_error);
  EXPECT_THROW(loader(0), Error);
  EXPECT_THROW(Loader(std::make_shared<FakeProducer>(4),
                      {.delivery = Delivery::as_completed, .snapshot = {file(), 1}}),
               Error);
  EXPECT_EQ(files(), 0);
}

TEST_F(Snapshots, ReplaceNothingButRegularFiles) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const auto make = [](const fs::path& path) {
    Loader(std::make_shared<FakeProducer>(4), {.snapshot = {path, 1}});
  };
  EXPECT_THROW(make(folder_ / "pipe"), Error);
  EXPECT_THROW(make("/dev/null"), Error);
  fs::create_symlink("nowhere", folder_ / "dangling");
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THROW(make(folder_ / "dangling"), Error);
  EXPECT_THROW(make(folder_ / "loop"), Error);
  EXPECT_THROW(make(folder_ / std::string(300, 'x')), Error);
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
  Loader loader(std::make_shared<FakeProducer>(4), {});
  EXPECT_THROW(loader.resume_or_start(folder_ / "dangling"), Error);
  EXPECT_THROW(loader.resume_or_start(folder_ / "loop"), Error);
  EXPECT_THROW(loader.resume_or_start(folder_ / "pipe"), Error);
  EXPECT_THROW(loader.resume_or_start(folder_), Error);
}

TEST_F(Snapshots, FollowALinkAndLeaveItThere) {
  fs::create_directory(folder_ / "real");
  std::ofstream(folder_ / "real" / "s.json") << "";
  fs::create_symlink("real/s.json", file());
  {
    Loader run = loader(1);
    for (const Batch& batch : run.epoch(0, true)) EXPECT_EQ(batch.size(), 4U);
  }
  EXPECT_TRUE(fs::is_symlink(file()));
  EXPECT_EQ(LoaderState::parse(text()).epoch, 1U);
}

TEST_F(Snapshots, StayWhereTheyAreWhenTheWorkingDirectoryChanges) {
  const fs::path before = fs::current_path();
  fs::create_directory(folder_ / "elsewhere");
  fs::current_path(folder_);
  {
    Loader run(std::make_shared<FakeProducer>(40),
               {.batch_size = 4, .snapshot = {"state.json", 1}});
    Epoch walk = run.epoch(0);
    walk.next();
    fs::current_path("elsewhere");
    walk.next();
    walk.next();
  }
  fs::current_path(before);
  EXPECT_EQ(LoaderState::parse(text()).position, 8U);
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(Snapshots, ThatAreFarTooLargeAreNotRead) {
  std::ofstream(file()) << "{";
  fs::resize_file(file(), std::uintmax_t{1} << 40);
  Loader run(std::make_shared<FakeProducer>(4), {});
  try {
    run.resume_or_start(file());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_state);
  }
}

TEST_F(Snapshots, SayOnceThatOneCouldNotBeWritten) {
  SnapshotWriter writer(file(), {});
  fs::remove_all(folder_);
  writer.post(1, 2);
  std::optional<Error> failure;
  while (!failure) failure = writer.take_failure();
  EXPECT_EQ(failure->code(), ErrorCode::not_found);
  EXPECT_FALSE(writer.take_failure());
}

TEST_F(Snapshots, ThatFailedAreThrownAndTheNextCallGoesOn) {
  Loader run = loader(1);
  Epoch walk = run.epoch(0);
  walk.next();
  fs::remove_all(folder_);
  std::vector<std::uint64_t> firsts;
  int errors = 0;
  for (;;) {
    try {
      const std::optional<Batch> batch = walk.next();
      if (!batch) break;
      firsts.push_back(batch->indices()[0]);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      ++errors;
    }
  }
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{4, 8, 12, 16, 20, 24, 28, 32, 36}));
  EXPECT_LE(errors, 10);
}

TEST_F(Snapshots, LeaveTheLatestOfThoseThatWait) {
  {
    SnapshotWriter writer(file(), {});
    for (std::uint64_t i = 0; i <= 500; ++i) writer.post(i, 2 * i);
  }
  const LoaderState state = LoaderState::parse(text());
  EXPECT_EQ(state.epoch, 500U);
  EXPECT_EQ(state.position, 1000U);
  EXPECT_EQ(files(), 1);
}

TEST_F(Snapshots, RefuseAFileThatIsNoStateAndNameIt) {
  Loader run = loader(1);
  for (const char* content : {"", "{", "{}"}) {
    std::ofstream(file()) << content;
    try {
      run.resume_or_start(file());
      ADD_FAILURE() << content;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_state);
      EXPECT_THAT(error.what(), HasSubstr(file().string()));
    }
  }
  EXPECT_EQ(run.epoch(0).next()->indices()[0], 0U);
}

TEST_F(Snapshots, KeepTheOldContentUntilTheNewOneIsWhole) {
  write_file_atomically(file(), "old");
  EXPECT_EQ(text(), "old");
  write_file_atomically(file(), "new and longer");
  EXPECT_EQ(text(), "new and longer");
  write_file_atomically(file(), "");
  EXPECT_EQ(text(), "");
  EXPECT_EQ(files(), 1);
}

TEST_F(Snapshots, CanBeReadByWhomeverTheUmaskAllows) {
  write_file_atomically(file(), "x");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat info {};
  ASSERT_EQ(::stat(file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask);
}

}  // namespace
}  // namespace stoker::testing
