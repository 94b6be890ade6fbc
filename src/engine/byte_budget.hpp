#pragma once

#include "src/core/wait_point.hpp"

#include <atomic>
#include <cstddef>

namespace stoker {

/// Bounds the encoded bytes between readers and workers. A reader learns a sample's size only by
/// reading it, so each may overshoot by one sample.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t limit) : limit_(limit) {}

  /// Waits until less than the limit is in use, or the budget is closed.
  void wait_for_room() {
    room_.wait([this] { return used() < limit_ || closed_.load(std::memory_order_acquire); });
  }
  void add(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_acq_rel); }
  void remove(std::size_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_acq_rel);
    room_.notify_all();
  }
  void close() noexcept {
    closed_.store(true, std::memory_order_release);
    room_.notify_all();
  }
  std::size_t used() const noexcept { return used_.load(std::memory_order_acquire); }

 private:
  std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<bool> closed_{false};
  WaitPoint room_;
};

}  // namespace stoker
