#include "bench/device_feed/cupti.hpp"
#include "bench/device_feed/feed.hpp"
#include "bench/device_feed/training_loop.hpp"
#include "bench/small_tensors.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

namespace stoker::bench {
namespace {

std::uint64_t total(const std::map<std::string, std::uint64_t>& calls) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : calls) sum += count;
  return sum;
}

}  // namespace

/// A run of its own: being watched makes every call slower.
Json measure_host_calls(const Feed& feed) {
  const FeedOptions& options = feed.options;
  const TrainingLoop loop(options.step_milliseconds);
  Loader loader(feed.tensors(), feed.loader_options(loop.stream()));
  loop.run(options.batches, loader.epoch(0, true));
  const auto calls = count_api_calls([&] { loop.run(options.batches, loader.epoch(1, true)); });
  if (!calls) return {{"counted", false}};
  const double batches = static_cast<double>(options.batches - TrainingLoop::settling_steps);
  return {{"counted", true},
          {"batches", batches},
          {"synchronisations", total(calls->synchronisations)},
          {"allocations", total(calls->allocations)},
          {"calls_per_batch", static_cast<double>(total(calls->all)) / batches},
          {"calls", calls->all},
          {"synchronising_calls", calls->synchronisations},
          {"allocating_calls", calls->allocations}};
}

void print_host_calls(const Json& figure) {
  if (!figure["counted"].get<bool>()) {
    fmt::print("host calls: not counted, this build has no CUPTI\n");
    return;
  }
  fmt::print(
      "host calls inside next() and release, on the consumer's thread, {:.0f} batches (CUPTI)\n"
      "  {} host synchronisations, {} allocations; {:.1f} calls of CUDA's a batch\n",
      figure["batches"].get<double>(), figure["synchronisations"].get<std::uint64_t>(),
      figure["allocations"].get<std::uint64_t>(), figure["calls_per_batch"].get<double>());
  for (const auto& [name, count] : figure["calls"].items()) {
    fmt::print("  {:>8} {}\n", count.get<std::uint64_t>(), name);
  }
}

}  // namespace stoker::bench
