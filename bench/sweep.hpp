#pragma once

#include "bench/measurement.hpp"
#include "bench/workload.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::bench {

/// An option of the loader and the values to try.
struct SweepVariable {
  std::string name;  ///< num_workers, prefetch, batch_size or num_readers
  std::vector<int> values;
};

struct SweepPoint {
  int value = 0;
  Measurement measurement;
};

struct SweepResult {
  std::string variable;
  std::vector<SweepPoint> points;  ///< by ascending value
  int knee = 0;
};

/// Share of the best speed that the knee may give away.
inline constexpr double knee_tolerance = 0.04;

/// Reads "num_workers=1,2,4". @throws Error(invalid_argument) that shows the form.
SweepVariable parse_sweep(const std::string& text);

/// Returns the smallest value whose median speed is within `knee_tolerance` of the best one.
int knee_of(const std::vector<SweepPoint>& points);

/// Measures stoker for each value of one variable after the other; a variable that is done keeps
/// its knee in `workload`. The values of a variable take turns, one epoch each.
std::vector<SweepResult> run_sweeps(Workload& workload, const std::vector<SweepVariable>& variables,
                                    int repetitions);

}  // namespace stoker::bench
