#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace stoker {

/// Counts tasks that are queued or running, so that their owner can be destroyed behind the last.
class TaskTracker {
 public:
  void started() noexcept { state_.fetch_add(1, std::memory_order_relaxed); }

  /// The caller must not touch the tracker or its owner afterwards: count and flag share one word,
  /// so that only the last task behind `drain` touches anything else.
  void finished() noexcept {
    if (state_.fetch_sub(1, std::memory_order_acq_rel) != (draining | 1)) return;
    const std::lock_guard lock(mutex_);
    drained_ = true;
    changed_.notify_all();
  }

  /// Waits until no task is left. Nothing may be started any more.
  void drain() {
    if (state_.fetch_or(draining, std::memory_order_acq_rel) == 0) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return drained_; });
  }

 private:
  static constexpr std::uint64_t draining = std::uint64_t{1} << 63;

  std::atomic<std::uint64_t> state_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool drained_ = false;
};

}  // namespace stoker
