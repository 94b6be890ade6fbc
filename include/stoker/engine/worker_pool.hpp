#pragma once

#include <memory>
#include <vector>

namespace stoker {

class Executor;
class FairExecutor;

/// Returns how many processors this process may use: the smallest of affinity mask, cgroup quota
/// and processors online; at least 1.
int available_processors();

/// How a worker pool is made.
struct WorkerPoolOptions {
  /// Keep the workers on these processors; empty: wherever the system puts them.
  std::vector<int> processors = {};
  /// Threads of the pool's own in place of oneTBB's: for tasks that may wait long for something.
  /// oneTBB has as many threads running as there is work for, and counts one that waits as running:
  /// other pools that have little to do may get none until it goes on.
  bool own_threads = false;
};

/// Worker threads that several loaders can share: each that has work gets an equal share of the
/// workers' time, whatever its samples cost. Thread-safe; destruction waits for running tasks.
///
/// A loader that is walked inside of another loader's `get` or transform needs workers of its own:
/// on the same pool it can wait for ever for a worker that waits for it. Threads do not survive
/// fork(): make pools and loaders in the child.
class WorkerPool {
 public:
  /// @throws Error(invalid_argument) unless num_workers is at least 1, and for processors that this
  /// process may not use.
  explicit WorkerPool(int num_workers, const WorkerPoolOptions& options = {});
  ~WorkerPool();

  int num_workers() const noexcept;
  /// Where the workers are kept; empty: wherever the system puts them.
  const std::vector<int>& processors() const noexcept { return processors_; }
  /// The engine's way in: an executor for one loader's tasks.
  std::unique_ptr<Executor> share();

 private:
  std::vector<int> processors_;
  std::unique_ptr<FairExecutor> executor_;
};

}  // namespace stoker
