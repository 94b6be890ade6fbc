#pragma once

#include "bench/measurement.hpp"
#include "bench/workload.hpp"

#include <cstdint>

namespace stoker::bench {

/// Something that turns a workload's files into batches, or into pixels, and whose speed is
/// measured. Set up completely at construction, so that `run` measures the work alone.
class Contender {
 public:
  virtual ~Contender() = default;

  /// Name, title and what else is known before the first run.
  virtual Measurement describe() const = 0;
  /// Walks an epoch. @throws Error of the first sample that fails.
  virtual Repetition run(std::uint64_t epoch, const Progress& progress) = 0;
  /// Counters of the last run, where there are any.
  virtual std::optional<Stats> stats() const { return {}; }
};

}  // namespace stoker::bench
