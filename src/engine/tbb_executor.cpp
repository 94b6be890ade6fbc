#include "src/engine/executor.hpp"
#include "src/engine/thread_affinity.hpp"

#ifdef STOKER_WITH_TBB

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

namespace stoker {
namespace {

using tbb::global_control;

/// oneTBB runs one thread less than the machine has processors, whatever its arenas ask for, unless
/// a global_control says otherwise; of several the smallest counts. So one control for the whole
/// process allows the workers of all executors, beside the threads that others use.
class ThreadAllowance {
 public:
  /// Never destroyed: loaders in global variables end behind the static ones of functions.
  static ThreadAllowance& instance() {
    static auto& allowance = *new ThreadAllowance;
    return allowance;
  }

  /// Returns false, changing nothing, where somebody else's control leaves too few threads.
  bool add(int workers) {
    const std::lock_guard lock(mutex_);
    allow(workers_ + workers);
    if (global_control::active_value(global_control::max_allowed_parallelism) >=
        wanted(workers_ + workers)) {
      workers_ += workers;
      return true;
    }
    allow(workers_);
    return false;
  }

  void remove(int workers) {
    const std::lock_guard lock(mutex_);
    workers_ -= workers;
    allow(workers_);
  }

 private:
  static std::size_t wanted(int workers) {
    return static_cast<std::size_t>(workers) + std::max(1U, std::thread::hardware_concurrency());
  }

  /// The new control is there before the old one goes, so that oneTBB's own limit never holds.
  void allow(int workers) {
    std::unique_ptr<global_control> control;
    if (workers > 0) {
      control = std::make_unique<global_control>(global_control::max_allowed_parallelism,
                                                 wanted(workers));
    }
    control_ = std::move(control);
  }

  std::mutex mutex_;
  int workers_ = 0;
  std::unique_ptr<global_control> control_;
};

/// Threads of oneTBB inherit the name of whoever made them need one.
void name_worker() {
  thread_local const bool named = pthread_setname_np(pthread_self(), "stoker-work") == 0;
  static_cast<void>(named);
}

/// Keeps threads on some processors while they work for an arena, without any on those of the
/// thread that made it; oneTBB lends them to others too. They go back there when they leave, but
/// threads that a kept one has begun do not: so each arena places its own.
class Keeper final : public tbb::task_scheduler_observer {
 public:
  Keeper(tbb::task_arena& arena, std::vector<int> processors)
      : tbb::task_scheduler_observer(arena),
        elsewhere_(usable_processors()),
        processors_(processors.empty() ? elsewhere_ : std::move(processors)) {
    observe(true);
  }
  ~Keeper() override { observe(false); }

  void on_scheduler_entry(bool) override {
    inside_.fetch_add(1);
    keep_thread_on(processors_);
  }
  void on_scheduler_exit(bool) override {
    keep_thread_on(elsewhere_);
    inside_.fetch_sub(1);
  }
  bool all_have_left() const noexcept { return inside_.load() == 0; }

 private:
  std::vector<int> elsewhere_;
  std::vector<int> processors_;
  std::atomic<int> inside_{0};
};

/// An arena and where its threads are kept.
struct Workplace {
  Workplace(int num_workers, const std::vector<int>& processors)
      : arena(num_workers, 0), keeper(arena, processors) {
    arena.initialize();
  }
  tbb::task_arena arena;
  Keeper keeper;
};

/// Workplaces of executors that have ended, until their threads have left: these look for work a
/// while longer, on a busy machine for seconds. A thread that left behind its keeper's end would
/// stay where it was kept, and LeakSanitizer would report what oneTBB has of the keeper where the
/// process ends before. Never destroyed.
class ClosedWorkplaces {
 public:
  static ClosedWorkplaces& instance() {
    static auto& closed = *new ClosedWorkplaces;
    return closed;
  }

  void add(std::unique_ptr<Workplace> workplace) {
    const std::lock_guard lock(mutex_);
    closed_.push_back(std::move(workplace));
    std::erase_if(closed_, [](const auto& one) { return one->keeper.all_have_left(); });
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workplace>> closed_;
};

class TbbExecutor final : public Executor {
 public:
  TbbExecutor(int num_workers, const std::vector<int>& processors)
      : workplace_(std::make_unique<Workplace>(num_workers, processors)),
        num_workers_(num_workers) {}
  ~TbbExecutor() override {
    ClosedWorkplaces::instance().add(std::move(workplace_));
    ThreadAllowance::instance().remove(num_workers_);
  }

  int num_workers() const noexcept override { return num_workers_; }

  void submit(Task& task) override {
    // Isolated, so that a nested parallel loop (OpenCV's) does not pick up another sample's task.
    workplace_->arena.enqueue([&task] {
      name_worker();
      tbb::this_task_arena::isolate([&task] { task.run(); });
    });
  }

 private:
  std::unique_ptr<Workplace> workplace_;
  int num_workers_;
};

}  // namespace

std::unique_ptr<Executor> make_tbb_executor(int num_workers, const std::vector<int>& processors) {
  if (!ThreadAllowance::instance().add(num_workers)) return nullptr;
  return std::make_unique<TbbExecutor>(num_workers, processors);
}

}  // namespace stoker

#else

namespace stoker {

std::unique_ptr<Executor> make_tbb_executor(int /*num_workers*/,
                                            const std::vector<int>& /*processors*/) {
  return nullptr;
}

}  // namespace stoker

#endif
