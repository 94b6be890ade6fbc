#include "bench/device_feed/feed.hpp"
#include "bench/device_feed/training_loop.hpp"
#include "bench/measurement.hpp"
#include "bench/small_tensors.hpp"

#include <fmt/format.h>

namespace stoker::bench {
namespace {

Json latency(const std::vector<double>& seconds) {
  return {{"count", seconds.size()},
          {"median_seconds", median(seconds)},
          {"p99_seconds", percentile(seconds, 0.99)},
          {"max_seconds", percentile(seconds, 1)}};
}

void append(std::vector<double>& to, const std::vector<double>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void print_latency(const char* what, const Json& latency) {
  fmt::print("  {:<20} median {:>7.2f} us, p99 {:>7.2f} us, largest of {} {:.2f} us\n", what,
             latency["median_seconds"].get<double>() * 1e6,
             latency["p99_seconds"].get<double>() * 1e6, latency["count"].get<std::size_t>(),
             latency["max_seconds"].get<double>() * 1e6);
}

}  // namespace

Json measure_steps(const Feed& feed) {
  const FeedOptions& options = feed.options;
  const TrainingLoop loop(options.step_milliseconds);
  Loader loader(feed.tensors(), feed.loader_options(loop.stream()));
  std::vector<double> alone, fed, ratios, nexts, releases;
  for (int round = 0; round < options.repetitions; ++round) {
    alone.push_back(loop.run(options.batches).step_seconds);
    const StepTimes with =
        loop.run(options.batches, loader.epoch(static_cast<std::uint64_t>(round), true));
    fed.push_back(with.step_seconds);
    ratios.push_back(fed.back() / alone.back());
    append(nexts, with.nexts);
    append(releases, with.releases);
  }
  if (options.stats) fmt::print("{}\n", loader.stats().table());
  return {{"kernel_seconds", options.step_milliseconds * 1e-3},
          {"batch_bytes", feed.batch_bytes()},
          {"num_workers", loader.options().num_workers},
          {"alone_seconds", median(alone)},
          {"fed_seconds", median(fed)},
          {"ratio", median(ratios)},
          {"next", latency(nexts)},
          {"release", latency(releases)}};
}

void print_steps(const Json& figure) {
  fmt::print("steps: a kernel of {:.1f} ms, a batch of {:.0f} MiB each, {} workers\n",
             figure["kernel_seconds"].get<double>() * 1e3,
             figure["batch_bytes"].get<double>() / (1 << 20), figure["num_workers"].get<int>());
  fmt::print("  step {:.3f} ms alone, {:.3f} ms fed; fed / alone {:.4f}\n",
             figure["alone_seconds"].get<double>() * 1e3, figure["fed_seconds"].get<double>() * 1e3,
             figure["ratio"].get<double>());
  print_latency("next()", figure["next"]);
  print_latency("release of a batch", figure["release"]);
}

}  // namespace stoker::bench
