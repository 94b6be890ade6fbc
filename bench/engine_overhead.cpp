// What the engine itself costs: how long `next` takes where a batch is ready, and what a sample
// costs besides copying its bytes. The producer copies small tensors from memory and does nothing
// else.

#include "bench/machine.hpp"
#include "bench/measurement.hpp"
#include "bench/report_main.hpp"
#include "bench/small_tensors.hpp"
#include "cli/numbers.hpp"
#include <stoker/engine/loader.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stoker::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct OverheadOptions {
  std::size_t sample_bytes = 1024;
  std::size_t batch_size = 256;
  std::uint64_t batches = 2000;
  int num_workers = 1;
  std::size_t prefetch = 8;
  int repetitions = 5;
  int pause_microseconds = 200;
  std::string json;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

LoaderOptions loader_options(const OverheadOptions& options, int num_workers) {
  LoaderOptions result;
  result.batch_size = options.batch_size;
  result.num_workers = num_workers;
  result.prefetch = options.prefetch;
  return result;
}

/// Stands for a training step: keeps the processor busy while batches become ready.
void step(int microseconds) {
  const auto end = Clock::now() + std::chrono::microseconds(microseconds);
  while (Clock::now() < end) {
  }
}

/// Seconds that each `next` took, between steps long enough for a batch to be ready; with a
/// snapshot of the state at each, where a path is given.
std::vector<double> ready_waits(const std::shared_ptr<const SmallTensors>& producer,
                                const OverheadOptions& options,
                                const std::filesystem::path& snapshots = {}) {
  LoaderOptions with_snapshots = loader_options(options, options.num_workers);
  with_snapshots.snapshot = {snapshots, 1};
  Loader loader(producer, with_snapshots);
  Epoch epoch = loader.epoch(0, true);
  std::vector<double> waits;
  for (;;) {
    step(options.pause_microseconds);
    const auto start = Clock::now();
    const auto batch = epoch.next();
    const double seconds = seconds_since(start);
    if (!batch) break;
    waits.push_back(seconds);
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

struct SampleCost {
  double wall_seconds = 0;
  double cpu_seconds = 0;
};

/// What a sample takes through the loader, at full speed.
SampleCost loaded(Loader& loader, std::uint64_t epoch, double samples) {
  const double cpu = cpu_seconds_now();
  const auto start = Clock::now();
  Epoch walk = loader.epoch(epoch, true);
  while (walk.next()) {
  }
  return {seconds_since(start) / samples, (cpu_seconds_now() - cpu) / samples};
}

/// What a sample takes to copy alone, into as much memory as the loader's ring has.
SampleCost copied(const SmallTensors& producer, const OverheadOptions& options) {
  const std::size_t slots = options.prefetch * options.batch_size;
  static std::vector<std::byte> ring;
  ring.resize(slots * options.sample_bytes);
  const double cpu = cpu_seconds_now();
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < producer.size(); ++i) {
    const auto bytes = producer.bytes(i);
    std::memcpy(ring.data() + i % slots * options.sample_bytes, bytes.data(), bytes.size());
  }
  const auto samples = static_cast<double>(producer.size());
  return {seconds_since(start) / samples, (cpu_seconds_now() - cpu) / samples};
}

/// Medians of what a sample costs besides the copy, with copies and walks taking turns.
nlohmann::ordered_json sample_cost(const std::shared_ptr<const SmallTensors>& producer,
                                   const OverheadOptions& options, int num_workers) {
  Loader loader(producer, loader_options(options, num_workers));
  const auto samples = static_cast<double>(producer->size());
  loaded(loader, 0, samples);
  copied(*producer, options);
  std::vector<double> copies, walls, wall_costs, cpu_costs;
  for (int round = 0; round < options.repetitions; ++round) {
    const SampleCost copy = copied(*producer, options);
    const SampleCost walk = loaded(loader, static_cast<std::uint64_t>(round) + 1, samples);
    copies.push_back(copy.wall_seconds);
    walls.push_back(walk.wall_seconds);
    wall_costs.push_back(walk.wall_seconds - copy.wall_seconds);
    cpu_costs.push_back(walk.cpu_seconds - copy.cpu_seconds);
  }
  return {{"num_workers", num_workers},
          {"copy_seconds", median(copies)},
          {"sample_seconds", median(walls)},
          {"besides_copy_seconds", median(wall_costs)},
          {"besides_copy_cpu_seconds", median(cpu_costs)}};
}

nlohmann::ordered_json summary(const std::vector<double>& sorted) {
  return {{"count", sorted.size()},
          {"median_seconds", sorted[sorted.size() / 2]},
          {"p99_seconds", sorted[sorted.size() * 99 / 100]},
          {"max_seconds", sorted.back()}};
}

nlohmann::ordered_json with_snapshots(const std::shared_ptr<const SmallTensors>& producer,
                                      const OverheadOptions& options) {
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("stoker_engine_overhead_{}.json", ::getpid());
  const auto waits = ready_waits(producer, options, path);
  std::filesystem::remove(path);
  return summary(waits);
}

nlohmann::ordered_json measure(const OverheadOptions& options) {
  const auto producer =
      std::make_shared<SmallTensors>(options.batches * options.batch_size, options.sample_bytes);
  const auto waits = ready_waits(producer, options);
  nlohmann::ordered_json report{{"machine", describe_machine()},
                                {"sample_bytes", options.sample_bytes},
                                {"batch_size", options.batch_size},
                                {"next_ready", summary(waits)},
                                {"next_with_snapshot", with_snapshots(producer, options)}};
  for (const int num_workers : {0, options.num_workers}) {
    report["sample"].push_back(sample_cost(producer, options, num_workers));
  }
  return report;
}

void print(const nlohmann::ordered_json& report) {
  const auto microseconds = [](const nlohmann::ordered_json& value) {
    return value.get<double>() * 1e6;
  };
  for (const auto& [key, title] : {std::pair("next_ready", "next() with a batch ready"),
                                   std::pair("next_with_snapshot", "next() with a snapshot too")}) {
    fmt::print("{}: median {:.2f} us, p99 {:.2f} us\n", title,
               microseconds(report[key]["median_seconds"]),
               microseconds(report[key]["p99_seconds"]));
  }
  for (const auto& sample : report["sample"]) {
    fmt::print(
        "a sample, num_workers {}: {:.3f} us, of which the copy alone {:.3f}, besides {:.3f} "
        "(CPU of all threads: {:.3f})\n",
        sample["num_workers"].get<int>(), microseconds(sample["sample_seconds"]),
        microseconds(sample["copy_seconds"]), microseconds(sample["besides_copy_seconds"]),
        microseconds(sample["besides_copy_cpu_seconds"]));
  }
}

void add_options(CLI::App& app, OverheadOptions& options) {
  app.add_option("--sample-bytes", options.sample_bytes)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--batches", options.batches)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--num-workers", options.num_workers)
      ->check(cli::whole_number<int>())
      ->capture_default_str();
  app.add_option("--prefetch", options.prefetch)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions)
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
  app.add_option("--pause", options.pause_microseconds, "Microseconds of a training step")
      ->check(cli::whole_number<int>())
      ->capture_default_str();
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  using namespace stoker::bench;
  return report_main(argc, argv, "Measures what the engine costs besides the work",
                     OverheadOptions{}, add_options, measure, print);
}
