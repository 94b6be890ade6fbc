#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

namespace stoker {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Lets threads sleep until a condition over lock-free data holds. Those who change the data pay
/// one atomic operation while nobody sleeps.
///
/// Why no wake-up is lost: sleeper and waker both do a read-modify-write on `sleepers_`. If the
/// waker's comes second it sees the sleeper and takes the mutex, so that it notifies only once the
/// sleeper really waits. If it comes first, the sleeper's check that follows its own sees the
/// change.
class WaitPoint {
 public:
  /// Wakes all sleepers to look at their condition again. Call it behind the change.
  void notify_all() noexcept {
    if (!anyone_sleeps()) return;
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  /// Wakes one sleeper: enough where all wait for the same thing and one can have it.
  void notify_one() noexcept {
    if (!anyone_sleeps()) return;
    const std::lock_guard lock(mutex_);
    changed_.notify_one();
  }

  /// Returns true as soon as `condition()` does, false at the deadline. The condition may be
  /// evaluated many times, on this thread, with the mutex of this wait point held or not.
  template <class Condition>
  bool wait(Condition condition, Deadline deadline = {}) {
    if (condition()) return true;
    const Sleeper sleeper(sleepers_);
    std::unique_lock lock(mutex_);
    if (!deadline) {
      changed_.wait(lock, condition);
      return true;
    }
    return changed_.wait_until(lock, *deadline, condition);
  }

 private:
  bool anyone_sleeps() noexcept { return sleepers_.fetch_add(0, std::memory_order_acq_rel) != 0; }

  class Sleeper {
   public:
    explicit Sleeper(std::atomic<std::uint32_t>& count) : count_(count) {
      count_.fetch_add(1, std::memory_order_acq_rel);
    }
    ~Sleeper() { count_.fetch_sub(1, std::memory_order_acq_rel); }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

   private:
    std::atomic<std::uint32_t>& count_;
  };

  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace stoker
