#pragma once

#include "src/engine/wait_histogram.hpp"
#include <stoker/engine/stats.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

namespace stoker {

/// A number that many threads add to; reading it is out of date at once.
class Counter {
 public:
  void add(std::uint64_t amount = 1) noexcept {
    value_.fetch_add(amount, std::memory_order_relaxed);
  }
  void add(std::chrono::nanoseconds time) noexcept {
    add(static_cast<std::uint64_t>(time.count()));
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  std::chrono::nanoseconds time() const noexcept {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(get()));
  }
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// One stage's counters, on cache lines of their own: stages run on different threads.
struct alignas(64) StageCounters {
  Counter items, busy, blocked_on_input, blocked_on_output;

  StageStats stats() const noexcept {
    return {items.get(), busy.time(), blocked_on_input.time(), blocked_on_output.time(), 0};
  }
  void reset() noexcept {
    for (Counter* counter : {&items, &busy, &blocked_on_input, &blocked_on_output})
      counter->reset();
  }
};

/// All that a loader counts.
struct EngineCounters {
  StageCounters schedule, read, produce, copy, deliver;
  alignas(64) Counter bytes_read;
  alignas(64) Counter pixels_decoded, decode_busy;
  alignas(64) Counter samples_failed, samples_skipped, samples_delivered, resized_on_cpu,
      bytes_copied, epochs_cancelled;
  alignas(64) Counter device_copy, device_finish, bytes_timed, batches_timed;
  WaitHistogram wait;

  /// What was counted; what depends on the loader's parts and the time is left out.
  Stats stats() const;
  void reset() noexcept {
    for (StageCounters* stage : {&schedule, &read, &produce, &copy, &deliver}) stage->reset();
    for (Counter* counter :
         {&bytes_read, &pixels_decoded, &decode_busy, &samples_failed, &samples_skipped,
          &samples_delivered, &resized_on_cpu, &bytes_copied, &epochs_cancelled, &device_copy,
          &device_finish, &bytes_timed, &batches_timed}) {
      counter->reset();
    }
    wait.reset();
  }
};

/// Measures a time from its construction.
class Timer {
 public:
  std::chrono::nanoseconds elapsed() const noexcept {
    return std::chrono::steady_clock::now() - start_;
  }
  /// Returns the time since construction or the last lap.
  std::chrono::nanoseconds lap() noexcept {
    const auto now = std::chrono::steady_clock::now();
    return now - std::exchange(start_, now);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stoker
