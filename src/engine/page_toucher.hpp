#pragma once

#include "src/core/wait_point.hpp"
#include "src/engine/executor.hpp"
#include "src/engine/task_tracker.hpp"

#include <atomic>
#include <cstddef>
#include <deque>

namespace stoker {

/// Writes a byte to each page of memory from an executor's workers: the system then finds memory
/// for it now and not under the first batches, and near those who will write it where there are
/// several NUMA nodes. Workers that have other things to do are not waited for.
class PageToucher {
 public:
  explicit PageToucher(Executor& executor) : executor_(executor) {}
  /// Waits until the workers have come by; the executor must still be there.
  ~PageToucher() { queued_.drain(); }
  PageToucher(const PageToucher&) = delete;
  PageToucher& operator=(const PageToucher&) = delete;

  /// Hands memory to the workers, a part for each, as far as there is room in their queue.
  void add(std::byte* memory, std::size_t bytes);
  /// Returns once all pages are touched, and nobody touches them any more. What no worker has begun
  /// within a moment the calling thread touches.
  void finish();

 private:
  struct Part final : Task {
    void run() noexcept override;
    bool touch() noexcept;
    PageToucher* toucher = nullptr;
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
    std::atomic<bool> taken{false};
  };

  Executor& executor_;
  std::deque<Part> parts_;
  std::atomic<std::size_t> left_{0};
  WaitPoint touched_;
  TaskTracker queued_;
};

}  // namespace stoker
