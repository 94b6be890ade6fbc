#pragma once

#include "bench/suite.hpp"
#include "bench/sweep.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace stoker::bench {

/// Figures as a table for people.
std::string suite_table(const Workload& workload, const SuiteResult& result);
std::string sweep_table(const SweepResult& result);

/// Figures as JSON: `machine`, `workload`, one object a contender (`stoker`, `limit`,
/// `torch_opencv`, `torch_stoker_decode`) with `images_per_second`, `first_batch_seconds` (medians)
/// and `repetitions` (images a second, each), `ratio` (medians of the repetitions' ratios) and,
/// where there are any, `sweep`.
nlohmann::ordered_json report_json(const Workload& workload, const SuiteResult& result,
                                   const std::vector<SweepResult>& sweeps);

}  // namespace stoker::bench
