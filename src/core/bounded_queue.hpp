#pragma once

#include "src/core/wait_point.hpp"

#include <boost/lockfree/queue.hpp>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace stoker {

/// A first-in first-out queue of bounded length between any number of threads: Boost.Lockfree's
/// queue, and a blocking wait where there is nothing to do. All memory is allocated at
/// construction. A closed queue takes nothing more and hands out what it still holds.
template <class T>
class BoundedQueue {
  static_assert(std::is_trivially_copyable_v<T>, "the lock-free queue copies bits");

 public:
  /// The largest capacity that the lock-free queue's 16-bit node numbers allow.
  static constexpr std::size_t max_capacity = 65534;

  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity), queue_(capacity) {}

  /// Adds an item, waiting for room. Returns false, without adding, once the queue is closed.
  bool push(T item) {
    room_.wait([&] { return closed() || reserve(); });
    if (closed()) return false;
    add(item);
    return true;
  }

  /// Adds an item if there is room and the queue is open.
  bool try_push(T item) {
    if (closed() || !reserve()) return false;
    add(item);
    return true;
  }

  /// Takes the oldest item, or nothing if there is none.
  std::optional<T> try_pop() {
    T item;
    if (!queue_.pop(item)) return std::nullopt;
    size_.fetch_sub(1, std::memory_order_acq_rel);
    room_.notify_one();
    return item;
  }

  /// Takes the oldest item, waiting for one. Returns nothing at the deadline, and once the queue is
  /// closed and empty.
  std::optional<T> pop(Deadline deadline = {}) {
    std::optional<T> item;
    items_.wait(
        [&] {
          if (item) return true;
          const bool was_closed = closed();  // before looking: nothing is added behind it
          item = try_pop();
          return item.has_value() || was_closed;
        },
        deadline);
    return item;
  }

  /// Ends waiting on both sides.
  void close() noexcept {
    closed_.store(true, std::memory_order_seq_cst);
    items_.notify_all();
    room_.notify_all();
  }

  bool closed() const noexcept { return closed_.load(std::memory_order_seq_cst); }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Number of items, as seen from outside: out of date as soon as it is read.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  bool reserve() noexcept {
    std::size_t size = size_.load(std::memory_order_relaxed);
    while (size < capacity_) {
      if (size_.compare_exchange_weak(size, size + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  void add(const T& item) {
    // A node is free: there is one for each place, and a place counts as free only behind the pop.
    [[maybe_unused]] const bool added = queue_.push(item);
    assert(added);
    items_.notify_one();
  }

  std::size_t capacity_;
  boost::lockfree::queue<T, boost::lockfree::fixed_sized<true>> queue_;
  std::atomic<std::size_t> size_{0};
  std::atomic<bool> closed_{false};
  WaitPoint items_;
  WaitPoint room_;
};

}  // namespace stoker
