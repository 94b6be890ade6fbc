#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace stoker {

/// How many things wait in a queue, and for how long in all there were any. Thread-safe; the time
/// may miss moments in which the queue was emptied and filled at once.
class QueuedTime {
 public:
  void add(std::size_t count) noexcept {
    if (waiting_.fetch_add(count, std::memory_order_acq_rel) == 0) since_.store(now());
  }
  void remove(std::size_t count) noexcept {
    if (waiting_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    if (const std::int64_t since = since_.exchange(0); since != 0) total_.fetch_add(now() - since);
  }
  std::size_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  /// Since construction or the last reset.
  std::chrono::nanoseconds total() const noexcept {
    const std::int64_t since = since_.load();
    return std::chrono::nanoseconds(total_.load() + (since != 0 ? now() - since : 0));
  }
  void reset() noexcept {
    total_.store(0);
    std::int64_t since = since_.load();
    if (since != 0) since_.compare_exchange_strong(since, now());
  }

 private:
  static std::int64_t now() noexcept {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::int64_t> since_{0};  ///< nanoseconds; 0: nothing waits
  std::atomic<std::int64_t> total_{0};
};

}  // namespace stoker
