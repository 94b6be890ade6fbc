#pragma once

#include <stoker/engine/stats.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stoker::bench {

/// What one walk over the data took.
struct Repetition {
  std::uint64_t images = 0;
  double seconds = 0;
  double first_batch_seconds = 0;  ///< from asking for the epoch to holding its first batch
  double cpu_seconds = 0;          ///< of all the process's threads

  double images_per_second() const noexcept { return static_cast<double>(images) / seconds; }
};

/// All that was measured of one contender.
struct Measurement {
  std::string key;    ///< in JSON: "stoker", "limit", ...
  std::string title;  ///< for people
  int num_workers = 1;
  std::vector<Repetition> repetitions;
  std::optional<Stats> stats;                          ///< of the repetition with the median speed
  std::optional<std::uint64_t> peak_memory_bytes;      ///< of the process, in its warm-up
  std::optional<std::uint64_t> resident_before_bytes;  ///< of the process, before its set-up
  std::uint64_t skipped = 0;  ///< files of the walk that the contender cannot read

  double images_per_second() const;
  double first_batch_seconds() const;
  /// CPU time an image, over all threads; unlike the speed it hardly sees a busy machine.
  double cpu_seconds_per_image() const;
};

/// Returns the middle value, or the mean of the middle two. `values` must not be empty.
double median(std::vector<double> values);

/// Returns the median of the repetitions' ratios, first with first, second with second, ...: so a
/// machine that slows down for a while hits both sides.
double median_ratio(const Measurement& above, const Measurement& below,
                    double (*figure)(const Repetition&));

/// Seconds of CPU time that the process has used.
double cpu_seconds_now();

}  // namespace stoker::bench
