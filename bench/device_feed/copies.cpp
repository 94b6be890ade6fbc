#include "bench/device_feed/bare_copies.hpp"
#include "bench/device_feed/bare_pipeline.hpp"
#include "bench/device_feed/feed.hpp"
#include "bench/measurement.hpp"
#include "bench/small_tensors.hpp"

#include <fmt/format.h>

#include <map>

namespace stoker::bench {
namespace {

/// Bytes a second of an epoch that the consumer takes as fast as it comes.
double delivered(Loader& loader, std::uint64_t epoch, const ConsumerStream& stream, double bytes) {
  loader.reset_stats();
  const auto start = Clock::now();
  for (const Batch& batch : loader.epoch(epoch, true)) static_cast<void>(batch);
  stream.synchronize();
  return bytes / seconds_since(start);
}

/// The figures of all rounds, by name.
class Rounds {
 public:
  double add(const char* name, double value) {
    values_[name].push_back(value);
    return value;
  }
  double median_of(const char* name) const { return median(values_.at(name)); }
  /// Median of the rounds' own ratios.
  double ratio(const char* above, const char* below) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < values_.at(above).size(); ++i) {
      ratios.push_back(values_.at(above)[i] / values_.at(below)[i]);
    }
    return median(std::move(ratios));
  }

 private:
  std::map<std::string, std::vector<double>> values_;
};

Json figures(const Rounds& rounds) {
  Json json;
  for (const char* name :
       {"bare", "fill", "side_by_side_filled", "side_by_side_copied", "bare_pipeline", "loader"}) {
    json[std::string(name) + "_bytes_per_second"] = rounds.median_of(name);
  }
  json["ratio"] = rounds.ratio("loader", "bare");
  json["loader_over_bare_pipeline"] = rounds.ratio("loader", "bare_pipeline");
  json["bare_pipeline_over_bare"] = rounds.ratio("bare_pipeline", "bare");
  json["side_by_side_over_bare"] = rounds.ratio("side_by_side_copied", "bare");
  return json;
}

}  // namespace

Json measure_copies(const Feed& feed) {
  const FeedOptions& options = feed.options;
  const double bytes = static_cast<double>(feed.batch_bytes() * options.batches);
  const auto producer = feed.tensors();
  const ConsumerStream stream;
  Loader loader(producer, feed.loader_options(stream.ref()));
  const int num_workers = loader.options().num_workers;
  const BareCopies bare(feed.device, feed.batch_bytes());
  BarePipeline pipeline(feed.device, producer, options.batch_size, num_workers);
  bare.run(10);
  pipeline.hand_over(10);
  delivered(loader, 0, stream, bytes);
  Rounds rounds;
  for (int round = 0; round < options.repetitions; ++round) {
    rounds.add("bare", bare.run(options.batches));
    rounds.add("fill", pipeline.fill(options.batches));
    const auto both = pipeline.side_by_side(options.batches);
    rounds.add("side_by_side_filled", both.filled);
    rounds.add("side_by_side_copied", both.copied);
    rounds.add("bare_pipeline", pipeline.hand_over(options.batches));
    const auto epoch = static_cast<std::uint64_t>(round) + 1;
    rounds.add("loader", delivered(loader, epoch, stream, bytes));
  }
  const Stats stats = loader.stats();
  if (options.stats) fmt::print("{}\n", stats.table());
  Json json{{"batch_bytes", feed.batch_bytes()}, {"num_workers", num_workers}};
  json.update(figures(rounds));
  json["stats"] = Json::parse(stats.json());
  return json;
}

void print_copies(const Json& figure) {
  fmt::print("copies: batches of {:.0f} MiB from memory, {} workers\n",
             figure["batch_bytes"].get<double>() / (1 << 20), figure["num_workers"].get<int>());
  const auto row = [&](const char* what, const char* key) {
    fmt::print("  {:<44}{:>8.1f} GB/s\n", what, figure[key].get<double>() * 1e-9);
  };
  row("cudaMemcpyAsync alone", "bare_bytes_per_second");
  row("threads that fill pinned memory, alone", "fill_bytes_per_second");
  row("both side by side, not waiting: filled", "side_by_side_filled_bytes_per_second");
  row("both side by side, not waiting: copied", "side_by_side_copied_bytes_per_second");
  row("bare pipeline: filled, handed over, copied", "bare_pipeline_bytes_per_second");
  row("loader", "loader_bytes_per_second");
  fmt::print(
      "  loader / cudaMemcpyAsync alone {:.3f}, loader / bare pipeline {:.3f}, bare pipeline "
      "/ cudaMemcpyAsync alone {:.3f}\n",
      figure["ratio"].get<double>(), figure["loader_over_bare_pipeline"].get<double>(),
      figure["bare_pipeline_over_bare"].get<double>());
}

}  // namespace stoker::bench
