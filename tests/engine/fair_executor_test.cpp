#include "src/engine/fair_executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

namespace stoker {
namespace {

using Clock = std::chrono::steady_clock;

struct CallTask final : Task {
  std::function<void()> call;
  void run() noexcept override { call(); }
};

/// Tasks of several users on one worker, which is held back until all are there; what ran is noted
/// in order.
class OneWorker : public ::testing::Test {
 protected:
  struct Ran {
    std::size_t user;
    Clock::duration time;
  };

  /// The worker may still be leaving its last task.
  ~OneWorker() override {
    users_.clear();
    executor_.reset();
  }
  std::size_t join() {
    users_.push_back(executor_->share());
    return users_.size() - 1;
  }
  void submit(std::size_t user, int count, std::chrono::microseconds length) {
    for (int i = 0; i < count; ++i) {
      tasks_.push_back(std::make_unique<CallTask>());
      tasks_.back()->call = [this, user, length] {
        const auto start = Clock::now();
        while (Clock::now() - start < length) {
        }
        ran_.push_back({user, Clock::now() - start});
        left_.fetch_sub(1);
        left_.notify_one();
      };
      ++waiting_;
      users_[user]->submit(*tasks_.back());
    }
  }
  void hold_back() {
    left_.fetch_add(1);
    tasks_.push_back(std::make_unique<CallTask>());
    tasks_.back()->call = [this] {
      gate_.acquire();
      left_.fetch_sub(1);
      left_.notify_one();
    };
    users_.front()->submit(*tasks_.back());
  }
  /// Lets all that was submitted run.
  std::vector<Ran> run() {
    left_.fetch_add(std::exchange(waiting_, 0));
    gate_.release();
    for (int left = left_.load(); left != 0; left = left_.load()) left_.wait(left);
    return std::exchange(ran_, {});
  }

  std::optional<FairExecutor> executor_{make_thread_executor(1)};
  std::vector<std::unique_ptr<Executor>> users_;
  std::vector<std::unique_ptr<CallTask>> tasks_;
  std::counting_semaphore<> gate_{0};
  std::atomic<int> left_{0};
  int waiting_ = 0;
  std::vector<Ran> ran_;
};

TEST_F(OneWorker, GivesUsersEqualTimeWhateverTheirTasksTake) {
  join();
  join();
  hold_back();
  submit(0, 100, std::chrono::microseconds(200));
  submit(1, 25, std::chrono::microseconds(800));
  const std::vector<Ran> ran = run();
  ASSERT_EQ(ran.size(), 125U);
  std::map<std::size_t, int> left{{0, 100}, {1, 25}};
  Clock::duration longest{}, ahead{};
  for (const Ran& task : ran) {
    longest = std::max(longest, task.time);
    ahead += task.user == 0 ? task.time : -task.time;
    if (--left[task.user] == 0) break;
    // Measured outside of the task a little more than inside, and expected from those before.
    EXPECT_LE(std::chrono::abs(ahead), 3 * longest + std::chrono::milliseconds(1));
  }
}

TEST_F(OneWorker, LetsNobodySaveUpTimeForLater) {
  join();
  hold_back();
  submit(0, 200, std::chrono::microseconds(100));
  ASSERT_EQ(run().size(), 200U);
  join();  // has used nothing, the first one 20 milliseconds
  hold_back();
  submit(0, 50, std::chrono::microseconds(100));
  submit(1, 50, std::chrono::microseconds(100));
  const std::vector<Ran> ran = run();
  ASSERT_EQ(ran.size(), 100U);
  Clock::duration ahead{}, longest{};
  for (std::size_t i = 0; i < 50; ++i) {
    longest = std::max(longest, ran[i].time);
    ahead += ran[i].user == 1 ? ran[i].time : -ran[i].time;
  }
  EXPECT_LE(ahead, 3 * longest + std::chrono::milliseconds(1));
}

TEST(FairExecutor, SaysWhetherAThreadRunsATask) {
  FairExecutor executor(make_thread_executor(1));
  const std::unique_ptr<Executor> user = executor.share();
  std::latch done(1);
  bool in_a_task = false;
  CallTask task;
  task.call = [&] {
    in_a_task = in_task();
    done.count_down();
  };
  user->submit(task);
  done.wait();
  EXPECT_TRUE(in_a_task);
  EXPECT_FALSE(in_task());
}

TEST(FairExecutor, RunsEveryTaskOfUsersThatComeAndGo) {
  FairExecutor executor(make_thread_executor(3));
  EXPECT_EQ(executor.num_workers(), 3);
  std::atomic<int> runs{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const std::unique_ptr<Executor> user = executor.share();
        std::latch done(50);
        std::vector<CallTask> tasks(50);
        for (CallTask& task : tasks) {
          task.call = [&] {
            ++runs;
            done.count_down();
          };
          user->submit(task);
        }
        done.wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(runs.load(), 4 * 20 * 50);
}

}  // namespace
}  // namespace stoker
