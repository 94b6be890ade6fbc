#include "bench/device_feed/bare_decoders.hpp"
#include "bench/device_feed/cuda_handles.hpp"
#include "bench/device_feed/feed.hpp"
#include "bench/device_feed/formula_photos.hpp"
#include "bench/measurement.hpp"
#include "bench/spin_kernel.hpp"

#include <fmt/format.h>

#include <chrono>

namespace stoker::bench {
namespace {

/// Seconds, of each launch of a round.
struct Launches {
  std::vector<double> calls;        ///< how long the call took
  std::vector<double> completions;  ///< from the call to the host's knowing that it is done
};

/// A short training step that the host waits for, and then launches one by one.
void launch_many(const ConsumerStream& stream, int count, Launches& launches) {
  launch_spin(stream.get(), 1'000'000);
  stream.synchronize();
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    launch_nothing(stream.get());
    launches.calls.push_back(seconds_since(start));
    stream.synchronize();
    launches.completions.push_back(seconds_since(start));
  }
  check(cudaGetLastError());
}

Launches beside_idle(const ConsumerStream& stream, std::uint64_t steps, int count) {
  Launches launches;
  for (std::uint64_t i = 0; i < steps; ++i) launch_many(stream, count, launches);
  return launches;
}

/// The consumer takes batches as fast as they come, which is slower than its steps: there is always
/// work for all workers.
Launches beside_busy(const ConsumerStream& stream, Epoch epoch, int count) {
  Launches launches;
  while (const auto batch = epoch.next()) launch_many(stream, count, launches);
  return launches;
}

/// A percentile of all rounds: beside an idle loader, a busy one, and bare decoders.
class Percentiles {
 public:
  Percentiles(const char* name, double part) : name_(name), part_(part) {}
  void add(const std::vector<double>& idle, const std::vector<double>& busy,
           const std::vector<double>& bare) {
    idle_.push_back(percentile(idle, part_));
    busy_.push_back(percentile(busy, part_));
    bare_.push_back(percentile(bare, part_));
    ratios_.push_back(busy_.back() / idle_.back());
    bare_ratios_.push_back(bare_.back() / idle_.back());
  }
  void report(Json& json) const {
    json[name_] = {{"idle_seconds", median(idle_)},
                   {"busy_seconds", median(busy_)},
                   {"bare_seconds", median(bare_)},
                   {"ratio", median(ratios_)},
                   {"bare_ratio", median(bare_ratios_)}};
  }

 private:
  const char* name_;
  double part_;
  std::vector<double> idle_, busy_, bare_, ratios_, bare_ratios_;
};

/// As many threads as the loader has workers, that only decode.
Launches beside_decoders(const ConsumerStream& stream, const Source& photos, int num_threads,
                         std::uint64_t steps, int count) {
  const BareDecoders decoders(photos, num_threads);
  return beside_idle(stream, steps, count);
}

double busy_part(const Stats& stats, int num_workers) {
  return std::chrono::duration<double>(stats.produce.busy) /
         std::chrono::duration<double>(stats.elapsed * num_workers);
}

}  // namespace

Json measure_launches(const Feed& feed) {
  const FeedOptions& options = feed.options;
  const ConsumerStream stream;
  const auto photos = formula_photos(options.batches * options.batch_size);
  Loader loader(*photos, photo_pipeline(), feed.loader_options(stream.ref()));
  const int num_workers = loader.options().num_workers;
  beside_idle(stream, 10, options.launches);
  Percentiles call_p50("call_p50", 0.5), call_p99("call_p99", 0.99);
  Percentiles done_p50("completion_p50", 0.5), done_p99("completion_p99", 0.99);
  std::vector<double> busy_parts;
  for (int round = 0; round < options.repetitions; ++round) {
    const Launches idle = beside_idle(stream, options.batches, options.launches);
    loader.reset_stats();
    const Launches busy = beside_busy(stream, loader.epoch(static_cast<std::uint64_t>(round), true),
                                      options.launches);
    busy_parts.push_back(busy_part(loader.stats(), num_workers));
    const Launches bare =
        beside_decoders(stream, *photos, num_workers, options.batches, options.launches);
    for (Percentiles* figure : {&call_p50, &call_p99}) {
      figure->add(idle.calls, busy.calls, bare.calls);
    }
    for (Percentiles* figure : {&done_p50, &done_p99}) {
      figure->add(idle.completions, busy.completions, bare.completions);
    }
  }
  if (options.stats) fmt::print("{}\n", loader.stats().table());
  Json json{{"num_workers", num_workers},
            {"launches_a_step", options.launches},
            {"workers_busy_fraction", median(busy_parts)}};
  for (const Percentiles* figure : {&call_p50, &call_p99, &done_p50, &done_p99}) {
    figure->report(json);
  }
  return json;
}

void print_launches(const Json& figure) {
  fmt::print(
      "launches: beside an idle loader, beside one whose {} workers decode {:.0f} % of the time, "
      "and beside as many threads of libjpeg-turbo alone; {} a step\n",
      figure["num_workers"].get<int>(), figure["workers_busy_fraction"].get<double>() * 100,
      figure["launches_a_step"].get<int>());
  const auto row = [&](const char* what, const char* key) {
    const Json& values = figure[key];
    fmt::print(
        "  {:<30} idle {:>8.2f} us, busy {:>8.2f} us, libjpeg-turbo {:>8.2f} us; over idle {:.2f} "
        "and {:.2f}\n",
        what, values["idle_seconds"].get<double>() * 1e6,
        values["busy_seconds"].get<double>() * 1e6, values["bare_seconds"].get<double>() * 1e6,
        values["ratio"].get<double>(), values["bare_ratio"].get<double>());
  };
  row("call, median", "call_p50");
  row("call, p99", "call_p99");
  row("call to completion, median", "completion_p50");
  row("call to completion, p99", "completion_p99");
}

}  // namespace stoker::bench
