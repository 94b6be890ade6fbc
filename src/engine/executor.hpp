#pragma once

#include <memory>
#include <vector>

namespace stoker {

/// Work for a worker. Owned by whoever submits it and must live until `run` has returned; `run` may
/// reuse or destroy it.
class Task {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~Task() = default;
};

/// Runs tasks on worker threads, about in the order of submission. The seam between the engine and
/// what provides threads. Thread-safe.
class Executor {
 public:
  /// Every task submitted must have been run: the engine waits for its own. Threads of its own have
  /// ended then; oneTBB's leave when they find no more work.
  virtual ~Executor() = default;
  virtual int num_workers() const noexcept = 0;
  /// Queues a task; never from a worker, since it may wait for room.
  virtual void submit(Task& task) = 0;
};

/// Whether this thread runs a task of a worker pool: it must submit none then.
bool in_task() noexcept;

/// Workers from oneTBB: its threads, so that a process with several users of oneTBB shares them.
/// Null where the build has no oneTBB, or where a limit set by the program (tbb::global_control)
/// leaves too few threads. `processors`: here and below, where the workers are kept while they work
/// for this executor; empty: anywhere.
std::unique_ptr<Executor> make_tbb_executor(int num_workers,
                                            const std::vector<int>& processors = {});

/// Workers with threads of their own.
std::unique_ptr<Executor> make_thread_executor(int num_workers,
                                               const std::vector<int>& processors = {});

/// oneTBB's workers where possible, otherwise threads.
std::unique_ptr<Executor> make_executor(int num_workers, const std::vector<int>& processors = {});

}  // namespace stoker
