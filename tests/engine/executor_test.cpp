#include "src/engine/executor.hpp"

#include "src/engine/available_processors.hpp"
#include "src/engine/task_tracker.hpp"
#include "src/engine/thread_affinity.hpp"
#include <stoker/core/error.hpp>
#include <stoker/engine/worker_pool.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#ifdef STOKER_WITH_TBB
#include <oneapi/tbb/task_arena.h>
#endif

namespace stoker {
namespace {

struct CallTask final : Task {
  std::function<void()> call;
  void run() noexcept override { call(); }
};

std::vector<std::unique_ptr<Executor>> executors(int workers) {
  std::vector<std::unique_ptr<Executor>> all;
  all.push_back(make_thread_executor(workers));
  if (auto tbb = make_tbb_executor(workers)) all.push_back(std::move(tbb));
  return all;
}

TEST(Executor, RunsAsManyTasksAtOnceAsItHasWorkers) {
  for (const int workers : {1, 2, 5}) {
    for (const auto& executor : executors(workers)) {
      ASSERT_EQ(executor->num_workers(), workers);
      std::barrier all_here(workers);  // opens only if all tasks run at the same time
      std::latch done(workers);
      std::vector<CallTask> tasks(static_cast<std::size_t>(workers));
      for (CallTask& task : tasks) {
        task.call = [&] {
          all_here.arrive_and_wait();
          done.count_down();
        };
        executor->submit(task);
      }
      done.wait();
    }
  }
}

TEST(Executor, RunsEveryTaskOnce) {
  for (const auto& executor : executors(3)) {
    std::atomic<int> runs{0};
    std::latch done(1000);
    std::vector<CallTask> tasks(1000);
    for (CallTask& task : tasks) {
      task.call = [&] {
        ++runs;
        done.count_down();
      };
      executor->submit(task);
    }
    done.wait();
    EXPECT_EQ(runs.load(), 1000);
  }
}

TEST(Executor, KeepsItsWorkersOnTheProcessorsItWasGiven) {
  const int processor = usable_processors().back();
  std::vector<std::unique_ptr<Executor>> all;
  all.push_back(make_thread_executor(2, {processor}));
  if (auto tbb = make_tbb_executor(2, {processor})) all.push_back(std::move(tbb));
  for (const auto& executor : all) {
    std::atomic<int> elsewhere{0};
    std::latch done(50);
    std::vector<CallTask> tasks(50);
    for (CallTask& task : tasks) {
      task.call = [&] {
        if (usable_processors() != std::vector<int>{processor}) ++elsewhere;
        done.count_down();
      };
      executor->submit(task);
    }
    done.wait();
    EXPECT_EQ(elsewhere.load(), 0);
  }
  EXPECT_THROW(WorkerPool(1, {.processors = {1 << 20}}), Error);
}

/// Returns how many of a number of tasks ran on threads that could not run everywhere.
int tasks_kept_somewhere(Executor& executor) {
  const std::vector<int> everywhere = usable_processors();
  std::atomic<int> kept{0};
  std::latch done(50);
  std::vector<CallTask> tasks(50);
  for (CallTask& task : tasks) {
    task.call = [&] {
      if (usable_processors() != everywhere) ++kept;
      done.count_down();
    };
    executor.submit(task);
  }
  done.wait();
  return kept.load();
}

TEST(Executor, ItsWorkersAreNotWhereAnEarlierOnesWereKept) {
  const std::vector<int> everywhere = usable_processors();
  if (everywhere.size() < 2) GTEST_SKIP() << "needs two processors";
  for (int round = 0; round < 20; ++round) {
    auto kept = make_tbb_executor(3, {everywhere.back()});
    if (!kept) GTEST_SKIP() << "needs oneTBB";
    EXPECT_EQ(tasks_kept_somewhere(*kept), 50);
    kept.reset();  // while its threads still look for work
    EXPECT_EQ(tasks_kept_somewhere(*make_tbb_executor(3)), 0);
  }
}

TEST(WorkerPool, OfThreadsOfItsOwnIsNotHeldUpByAnotherWhoseTasksWait) {
  WorkerPool waiting(2);
  const auto first = waiting.share();
  std::latch begun(1), over(1), done(1);
  CallTask long_task;
  long_task.call = [&] {
    begun.count_down();
    over.wait();
    done.count_down();
  };
  first->submit(long_task);
  begun.wait();
  for (int round = 0; round < 20; ++round) {
    WorkerPool pool(1, {.own_threads = true});
    const auto second = pool.share();
    std::latch ran(3);
    std::vector<CallTask> tasks(3);
    for (CallTask& task : tasks) {
      task.call = [&] { ran.count_down(); };
      second->submit(task);
    }
    ran.wait();
  }
  over.count_down();
  done.wait();
}

#ifdef STOKER_WITH_TBB
TEST(Executor, ItsWorkersAreNotKeptInAnArenaOfTheProgram) {
  const std::vector<int> everywhere = usable_processors();
  if (everywhere.size() < 2) GTEST_SKIP() << "needs two processors";
  tbb::task_arena arena(3, 0);
  for (int round = 0; round < 20; ++round) {
    auto kept = make_tbb_executor(3, {everywhere.back()});
    ASSERT_TRUE(kept);
    EXPECT_EQ(tasks_kept_somewhere(*kept), 50);
    kept.reset();  // while its threads still look for work
    std::atomic<int> kept_tasks{0};
    std::latch done(50);
    for (int i = 0; i < 50; ++i) {
      arena.enqueue([&] {
        if (usable_processors() != everywhere) ++kept_tasks;
        done.count_down();
      });
    }
    done.wait();
    EXPECT_EQ(kept_tasks.load(), 0);
  }
}
#endif

TEST(ThreadAffinity, LeavesAProcessorOutWhereTheOthersAreAsManyAsTheWorkers) {
  using Processors = std::vector<int>;
  const Processors four{0, 1, 4, 5};
  EXPECT_EQ(leaving_one(four, 4, 3), (Processors{0, 1, 5}));
  EXPECT_EQ(leaving_one(four, 7, 3), four) << "the thread runs elsewhere";
  EXPECT_EQ(leaving_one(four, 4, 2), four) << "there is room";
  EXPECT_EQ(leaving_one(four, 4, 4), four) << "each worker has one";
  EXPECT_EQ(leaving_one({0, 1, 2}, 1, 2), (Processors{0, 1, 2})) << "too few to be kept apart";
}

TEST(ThreadAffinity, ThreadsBeginWithNameAndPlace) {
  const int processor = usable_processors().back();
  std::thread([&] {
    begin_thread("begun", {processor});
    char name[16];
    ASSERT_EQ(pthread_getname_np(pthread_self(), name, sizeof name), 0);
    EXPECT_STREQ(name, "begun");
    EXPECT_EQ(usable_processors(), std::vector<int>{processor});
  }).join();
}

TEST(Executor, SeveralHaveTheirWorkersAtTheSameTime) {
  auto first = executors(2), second = executors(2);
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::barrier all_here(4);
    std::latch done(4);
    std::vector<CallTask> tasks(4);
    for (std::size_t t = 0; t < 4; ++t) {
      tasks[t].call = [&] {
        all_here.arrive_and_wait();
        done.count_down();
      };
      (t % 2 == 0 ? first : second)[i]->submit(tasks[t]);
    }
    done.wait();
  }
}

TEST(TaskTracker, DrainWaitsForTheLastTask) {
  for (int round = 0; round < 200; ++round) {
    auto tracker = std::make_unique<TaskTracker>();
    std::atomic<int> finished{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      tracker->started();
      threads.emplace_back([&, raw = tracker.get()] {
        ++finished;
        raw->finished();
      });
    }
    tracker->drain();
    EXPECT_EQ(finished.load(), 3);
    tracker.reset();  // nobody may touch it any more: the sanitizers watch
    for (std::thread& thread : threads) thread.join();
  }
}

class Cgroup : public ::testing::Test {
 protected:
  Cgroup() { std::filesystem::create_directories(mount_ / "a/b"); }
  ~Cgroup() override { std::filesystem::remove_all(root_); }

  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int processors(const std::string& own) const {
    write(root_ / "cgroup", own);
    return cgroup_processors((root_ / "cgroup").string(), mount_.string());
  }

  std::filesystem::path root_ = std::filesystem::path(::testing::TempDir()) /
                                ("stoker_cgroup_test_" + std::to_string(::getpid()));
  std::filesystem::path mount_ = root_ / "fs";
};

TEST_F(Cgroup, QuotaOfAnyLevelBinds) {
  EXPECT_GT(processors("0::/a/b\n"), 100000);
  write(mount_ / "a/cpu.max", "350000 100000\n");
  write(mount_ / "a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 4);
  write(mount_ / "a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 2);
  EXPECT_GT(processors("0::/\n"), 100000);
}

TEST_F(Cgroup, ReadsVersionOne) {
  write(mount_ / "cpu/a/cpu.cfs_quota_us", "300000\n");
  write(mount_ / "cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors("4:cpu,cpuacct:/a\n3:memory:/a/b\n"), 3);
  write(mount_ / "cpu/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_GT(processors("4:cpu,cpuacct:/a\n"), 100000);
}

TEST_F(Cgroup, NonsenseIsNoQuota) {
  write(mount_ / "cpu.max", "nonsense");
  EXPECT_GT(processors("garbage\n::\n0:x\n1:y:relative/path\n"), 100000);
}

TEST(AvailableProcessors, IsAtLeastOneAndAtMostTheMachines) {
  EXPECT_GE(available_processors(), 1);
  EXPECT_LE(available_processors(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace stoker
