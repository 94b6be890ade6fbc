#pragma once

#include "bench/contender.hpp"
#include "bench/progress_bar.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace stoker::bench {

struct SuiteOptions {
  int warmup = 1;       ///< epochs that are walked and not counted, at least 1
  int repetitions = 3;  ///< epochs that are measured
  bool limit = false;
  bool compare_torch = false;
};

/// What a run of the suite found out.
struct SuiteResult {
  std::vector<Measurement> measurements;  ///< stoker's first
  std::string torch_version;              ///< empty where LibTorch did not take part
};

/// Measures all contenders on a workload. Each is set up and warmed up on its own, stoker first, so
/// that its peak of memory is its own; then they take turns, one epoch each, in alternating
/// direction, so that a machine that slows down for a while hits all alike.
/// Decides `workload.num_workers` where it is automatic.
SuiteResult run_suite(Workload& workload, const SuiteOptions& options);

}  // namespace stoker::bench
