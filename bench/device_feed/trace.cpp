#include "bench/device_feed/cupti.hpp"
#include "bench/device_feed/feed.hpp"
#include "bench/device_feed/training_loop.hpp"
#include "bench/small_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::bench {
namespace {

bool is_step(const Activity& activity) {
  return activity.kind == Activity::Kind::kernel && activity.name.find("spin") != std::string::npos;
}

/// The consumer's kernels of the steady state, by begin; they run one behind the other.
std::vector<Activity> steady_steps(const std::vector<Activity>& activities) {
  std::vector<Activity> steps;
  std::copy_if(activities.begin(), activities.end(), std::back_inserter(steps), is_step);
  if (steps.size() <= TrainingLoop::settling_steps) {
    throw std::runtime_error("the trace holds too few of the consumer's kernels");
  }
  steps.erase(steps.begin(), steps.begin() + TrainingLoop::settling_steps);
  return steps;
}

/// Nanoseconds of an activity that lie under steps.
std::uint64_t under(const std::vector<Activity>& steps, const Activity& activity) {
  std::uint64_t sum = 0;
  for (const Activity& step : steps) {
    const std::uint64_t begin = std::max(step.begin, activity.begin);
    const std::uint64_t end = std::min(step.end, activity.end);
    if (begin < end) sum += end - begin;
  }
  return sum;
}

struct Sums {
  std::uint64_t copies = 0, copying = 0, hidden = 0, bytes = 0, stepping = 0;
  std::set<std::uint32_t> step_streams, copy_streams;
};

/// Of what lies between the first steady step's begin and the last one's end.
Sums sums(const std::vector<Activity>& activities, const std::vector<Activity>& steps) {
  Sums result;
  for (const Activity& step : steps) {
    result.stepping += step.end - step.begin;
    result.step_streams.insert(step.stream);
  }
  for (const Activity& activity : activities) {
    if (activity.kind != Activity::Kind::copy_to_device) continue;
    if (activity.begin < steps.front().begin || activity.end > steps.back().end) continue;
    ++result.copies;
    result.copying += activity.end - activity.begin;
    result.hidden += under(steps, activity);
    result.bytes += activity.bytes;
    result.copy_streams.insert(activity.stream);
  }
  return result;
}

double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

}  // namespace

Json measure_trace(const Feed& feed) {
  const FeedOptions& options = feed.options;
  const TrainingLoop loop(options.step_milliseconds);
  Loader loader(feed.tensors(), feed.loader_options(loop.stream()));
  const auto activities = trace_activity([&] { loop.run(options.batches, loader.epoch(0, true)); });
  if (!activities) return {{"traced", false}};
  const std::vector<Activity> steps = steady_steps(*activities);
  const Sums sum = sums(*activities, steps);
  return {{"traced", true},
          {"steps", steps.size()},
          {"step_busy_fraction", part(sum.stepping, steps.back().end - steps.front().begin)},
          {"copies", sum.copies},
          {"copy_bytes_per_second", part(sum.bytes, sum.copying) * 1e9},
          {"copying_seconds", static_cast<double>(sum.copying) * 1e-9},
          {"under_compute_fraction", part(sum.hidden, sum.copying)},
          {"step_streams", sum.step_streams},
          {"copy_streams", sum.copy_streams}};
}

void print_trace(const Json& figure) {
  if (!figure["traced"].get<bool>()) {
    fmt::print("trace: not made, this build has no CUPTI\n");
    return;
  }
  fmt::print(
      "trace (CUPTI) of {} steps: {} copies to the device at {:.1f} GB/s\n"
      "  {:.2f} % of the copies' time lies under the consumer's kernels, which run {:.2f} % of the "
      "time\n  streams: kernels {}, copies {}\n",
      figure["steps"].get<std::size_t>(), figure["copies"].get<std::uint64_t>(),
      figure["copy_bytes_per_second"].get<double>() * 1e-9,
      figure["under_compute_fraction"].get<double>() * 100,
      figure["step_busy_fraction"].get<double>() * 100, figure["step_streams"].dump(),
      figure["copy_streams"].dump());
}

}  // namespace stoker::bench
