// What orders cost: time and memory of the exact torch order beside torch::randperm itself, where a
// run is resumed in the middle of an epoch, and a permutation that takes no memory.

#include "bench/machine.hpp"
#include "bench/measurement.hpp"
#include "bench/report_main.hpp"
#include "bench/small_tensors.hpp"
#include "cli/numbers.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/large_permutation.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/weighted_sampler.hpp>
#ifdef STOKER_WITH_TORCH
#include "bench/torch_randperm.hpp"
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct CostOptions {
  std::vector<std::uint64_t> sizes{1'281'167, 100'000'000};
  std::uint64_t resume_at = 100'000'000;
  std::uint64_t large_size = 100'000'000'000;
  std::uint64_t weights = 100'000'000;
  int repetitions = 5;
  std::string json;
};

template <class Code>
double seconds_of(Code code) {
  const auto start = Clock::now();
  code();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Bytes that the process has from malloc now.
std::uint64_t allocated_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// What making something took.
struct Costs {
  std::vector<double> seconds, bytes;

  /// Runs `make` and notes its time and how far the process's resident memory rose meanwhile.
  template <class Make>
  void add(Make make) {
    ::malloc_trim(0);
    if (!reset_peak_memory()) throw std::runtime_error("the peak of memory cannot be measured");
    const std::uint64_t before = resident_bytes();
    seconds.push_back(seconds_of(make));
    bytes.push_back(static_cast<double>(peak_memory_bytes()) - static_cast<double>(before));
  }
};

/// Medians of ours and torch's orders, made in turn and checked against each other.
nlohmann::ordered_json against_torch(std::uint64_t size, int repetitions) {
  const RandomSampler sampler(size);
  Costs ours, torchs;
  for (int round = 0; round < repetitions; ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    std::shared_ptr<const Order> order;
    ours.add([&] { order = sampler.order(seed, 0); });
#ifdef STOKER_WITH_TORCH
    std::unique_ptr<TorchPermutation> torch;
    torchs.add([&] { torch = torch_randperm(size, seed); });
    std::vector<std::uint64_t> indices(size);
    order->read(0, indices);
    for (std::uint64_t i = 0; i < size; ++i) {
      if (torch->index(i) != indices[i]) throw std::runtime_error("the orders differ");
    }
#endif
  }
  nlohmann::ordered_json report{
      {"size", size}, {"seconds", median(ours.seconds)}, {"bytes", median(ours.bytes)}};
  if (torchs.seconds.empty()) return report;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.seconds.size(); ++i) {
    ratios.push_back(ours.seconds[i] / torchs.seconds[i]);
  }
  report["torch_seconds"] = median(torchs.seconds);
  report["torch_bytes"] = median(torchs.bytes);
  report["ratio"] = median(ratios);
  return report;
}

/// From a saved state to the first batch behind it, beside building the epoch's order.
nlohmann::ordered_json resume(std::uint64_t position, int repetitions) {
  const std::uint64_t size = position + position / 5;
  const auto producer = std::make_shared<SmallTensors>(size, 8);
  std::vector<double> builds, resumes, ratios;
  for (int round = 0; round < repetitions; ++round) {
    const LoaderOptions options{.batch_size = 256,
                                .shuffle = true,
                                .seed = static_cast<std::uint64_t>(round),
                                .num_workers = 1};
    builds.push_back(seconds_of([&] { RandomSampler(size).order(options.seed, 0); }));
    Loader loader(producer, options);
    LoaderState state = loader.state();
    state.position = position;
    resumes.push_back(seconds_of([&] {
      loader.load_state(state);
      loader.epoch(0, true).next();
    }));
    ratios.push_back(resumes.back() / builds.back());
  }
  return {{"size", size},
          {"position", position},
          {"order_seconds", median(builds)},
          {"resume_seconds", median(resumes)},
          {"ratio", median(ratios)}};
}

/// Starting to read at places all over a permutation that is never built.
nlohmann::ordered_json large_permutation(std::uint64_t size) {
  constexpr std::uint64_t places = 1000;
  std::vector<double> starts;
  std::vector<std::uint64_t> indices(256);
  const std::uint64_t before = allocated_bytes();
  std::uint64_t most = 0;
  for (std::uint64_t place = 0; place < places; ++place) {
    starts.push_back(seconds_of([&] {
      const auto order = LargePermutation(size).order(7, place);
      order->read(size / places * place, indices);
      most = std::max(most, allocated_bytes() - before);
    }));
  }
  const auto order = LargePermutation(size).order(7, 0);
  std::vector<std::uint64_t> many(1 << 20);
  const double seconds = seconds_of([&] { order->read(0, many); });
  return {{"size", size},
          {"median_start_seconds", median(starts)},
          {"max_start_seconds", *std::max_element(starts.begin(), starts.end())},
          {"bytes", most},
          {"nanoseconds_an_index", seconds * 1e9 / static_cast<double>(many.size())}};
}

/// Building the alias table, draws from it, and all of an order without replacement; once each.
nlohmann::ordered_json weighted(std::uint64_t size) {
  std::vector<float> weights(size);
  for (std::uint64_t i = 0; i < size; ++i) weights[i] = 1.0F + static_cast<float>(i % 1000);
  Costs table, draws, race;
  std::unique_ptr<WeightedSampler> sampler;
  table.add([&] { sampler = std::make_unique<WeightedSampler>(weights, size, true); });
  std::vector<std::uint64_t> indices(1 << 20);
  draws.add([&] { sampler->order(1, 0)->read(0, indices); });
  sampler.reset();
  race.add([&] { WeightedSampler(weights, size, false).order(1, 0); });
  const auto per_weight = [size](double bytes) { return bytes / static_cast<double>(size); };
  return {{"weights", size},
          {"table_seconds", table.seconds[0]},
          {"table_bytes_a_weight", per_weight(table.bytes[0])},
          {"nanoseconds_a_draw", draws.seconds[0] * 1e9 / static_cast<double>(indices.size())},
          {"without_replacement_seconds", race.seconds[0]},
          {"without_replacement_bytes_a_weight", per_weight(race.bytes[0])}};
}

void print(const nlohmann::ordered_json& report) {
  const auto ms = [](const nlohmann::ordered_json& value) { return value.get<double>() * 1e3; };
  for (const auto& order : report["orders"]) {
    fmt::print("order of {} samples: {:.1f} ms, {:.2f} bytes an index", order["size"].dump(),
               ms(order["seconds"]), order["bytes"].get<double>() / order["size"].get<double>());
    if (order.contains("ratio")) {
      fmt::print("; torch::randperm {:.1f} ms, {:.2f} bytes; ratio {:.2f}",
                 ms(order["torch_seconds"]),
                 order["torch_bytes"].get<double>() / order["size"].get<double>(),
                 order["ratio"].get<double>());
    }
    fmt::print("\n");
  }
  const auto& resumed = report["resume"];
  fmt::print(
      "resume at {} of {}: {:.1f} ms to the first batch, the order alone {:.1f} ms, ratio "
      "{:.2f}\n",
      resumed["position"].dump(), resumed["size"].dump(), ms(resumed["resume_seconds"]),
      ms(resumed["order_seconds"]), resumed["ratio"].get<double>());
  const auto& large = report["large_permutation"];
  fmt::print(
      "large permutation of {}: 256 indices from any place in {:.4f} ms (median of 1000 "
      "places, largest {:.4f}), {} bytes, {:.1f} ns an index\n",
      large["size"].dump(), ms(large["median_start_seconds"]), ms(large["max_start_seconds"]),
      large["bytes"].dump(), large["nanoseconds_an_index"].get<double>());
  const auto& weights = report["weighted"];
  fmt::print(
      "{} weights: table in {:.1f} s, {:.1f} bytes a weight, {:.0f} ns a draw; all of them without "
      "replacement in {:.1f} s, {:.1f} bytes a weight\n",
      weights["weights"].dump(), weights["table_seconds"].get<double>(),
      weights["table_bytes_a_weight"].get<double>(), weights["nanoseconds_a_draw"].get<double>(),
      weights["without_replacement_seconds"].get<double>(),
      weights["without_replacement_bytes_a_weight"].get<double>());
}

nlohmann::ordered_json measure(const CostOptions& options) {
  nlohmann::ordered_json report{{"machine", describe_machine()}};
  for (const std::uint64_t size : options.sizes) {
    report["orders"].push_back(against_torch(size, options.repetitions));
  }
  report["resume"] = resume(options.resume_at, options.repetitions);
  report["large_permutation"] = large_permutation(options.large_size);
  report["weighted"] = weighted(options.weights);
  return report;
}

void add_options(CLI::App& app, CostOptions& options) {
  app.add_option("--sizes", options.sizes, "Sizes of orders")
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--resume-at", options.resume_at)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--large-size", options.large_size)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--weights", options.weights, "Weights of a weighted sampler")
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions)
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  using namespace stoker::bench;
  return report_main(argc, argv, "Measures what orders and resuming cost", CostOptions{},
                     add_options, measure, print);
}
