#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stoker {

/// What one stage did. Times are summed over the stage's threads.
struct StageStats {
  std::uint64_t items = 0;
  std::chrono::nanoseconds busy{0};
  /// Waited for work. Of `produce`, the time in which workers were idle and nothing was queued for
  /// them; where they are idle although samples wait, they wait for processors that others have.
  std::chrono::nanoseconds blocked_on_input{0};
  std::chrono::nanoseconds blocked_on_output{0};  ///< waited for room behind
  std::size_t queue_depth = 0;                    ///< items waiting in front of it, now
};

/// Percentiles of the consumer's waits, those that ended in an error among them, from a histogram
/// with steps of at most 3 %.
struct WaitStats {
  std::uint64_t count = 0;
  std::chrono::nanoseconds total{0};
  std::chrono::nanoseconds p50{0}, p90{0}, p99{0}, max{0};
};

/// A loader's counters since construction or reset.
struct Stats {
  std::chrono::nanoseconds elapsed{0};
  std::uint64_t batches_delivered = 0;
  std::uint64_t samples_delivered = 0;
  std::uint64_t samples_failed = 0;   ///< failures of single attempts
  std::uint64_t samples_skipped = 0;  ///< places that a replacement took, batches ahead included
  std::uint64_t resized_on_cpu = 0;   ///< crops that were to be resized on the device
  std::uint64_t bytes_read = 0;       ///< encoded bytes
  std::uint64_t pixels_decoded = 0;
  std::uint64_t bytes_copied = 0;  ///< to the device
  std::uint64_t slots_grown = 0;
  std::uint64_t epochs_cancelled = 0;  ///< guesses at the next epoch that were wrong
  /// The device's own time for copies of `bytes_timed` bytes in `batches_timed` batches, and for
  /// its work behind them.
  std::chrono::nanoseconds device_copy{0}, device_finish{0};
  std::uint64_t bytes_timed = 0, batches_timed = 0;
  StageStats schedule, read, produce, copy, deliver;
  std::chrono::nanoseconds decode_busy{0};  ///< the part of produce.busy that is decoding
  WaitStats wait;
  /// Time the consumer waited over the whole time, 0 to 1.
  double starvation = 0;

  /// The counters as a table for people.
  std::string table() const;
  /// The same as JSON.
  std::string json() const;
};

}  // namespace stoker
