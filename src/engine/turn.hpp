#pragma once

#include "src/core/wait_point.hpp"

#include <atomic>

namespace stoker {

/// A lock for what one thread does at a time and others rather leave to it than wait. Unlike a
/// mutex's, `try_lock` may be called by the thread that has the lock: it fails.
class Turn {
 public:
  void lock() {
    free_.wait([this] { return try_lock(); });
  }
  bool try_lock() noexcept { return !taken_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept {
    taken_.store(false, std::memory_order_release);
    free_.notify_one();
  }

 private:
  std::atomic<bool> taken_{false};
  WaitPoint free_;
};

}  // namespace stoker
