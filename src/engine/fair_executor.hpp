#pragma once

#include "src/engine/executor.hpp"

#include <memory>

namespace stoker {

/// Shares an executor's workers among several users, each of whom gets an Executor of its own: a
/// worker that is free takes a task of the user whose tasks have run the shortest time in all, so
/// that users who have enough work get equal shares of the time, whatever one task takes. Nobody
/// saves up shares while he has no work. Thread-safe.
class FairExecutor {
 public:
  explicit FairExecutor(std::unique_ptr<Executor> executor);
  /// Waits for running tasks; every user must be gone.
  ~FairExecutor();

  int num_workers() const noexcept;
  /// Returns an executor for one user's tasks. They must have run before it is destroyed.
  std::unique_ptr<Executor> share();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace stoker
