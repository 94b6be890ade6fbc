#pragma once

#include <memory>

namespace stoker {

class Executor;

/// Returns how many processors this process may use: the smallest of affinity mask, cgroup quota
/// and processors online; at least 1.
int available_processors();

/// Worker threads that several loaders can share. Thread-safe; destruction waits for running tasks.
class WorkerPool {
 public:
  /// @throws Error(invalid_argument) unless num_workers is at least 1.
  explicit WorkerPool(int num_workers);
  ~WorkerPool();

  int num_workers() const noexcept;
  /// The engine's way in.
  Executor& executor() noexcept { return *executor_; }

 private:
  std::unique_ptr<Executor> executor_;
};

}  // namespace stoker
