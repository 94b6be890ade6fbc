// How well a CUDA device is fed: batches from memory against a bare loop of cudaMemcpyAsync on
// pinned memory, and steps of a fixed length against the kernel alone, in the same run.

#include "bench/machine.hpp"
#include "bench/measurement.hpp"
#include "bench/report_main.hpp"
#include "bench/small_tensors.hpp"
#include "bench/spin_kernel.hpp"
#include <stoker/device/cuda.hpp>
#include <stoker/engine/loader.hpp>

#include <CLI/CLI.hpp>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct FeedOptions {
  std::size_t sample_bytes = 614'400;  // 150 MiB a batch
  std::size_t batch_size = 256;
  std::uint64_t batches = 100;
  int num_workers = 15;
  std::size_t prefetch = 4;
  int repetitions = 5;
  int device = 0;
  double step_milliseconds = 20;
  std::string json;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

cudaStream_t stream_of(StreamRef stream) { return reinterpret_cast<cudaStream_t>(stream.handle); }

/// Host and device memory for copies one behind the other.
class BareCopies {
 public:
  BareCopies(DevicePtr device, std::size_t bytes)
      : device_(std::move(device)), bytes_(bytes), stream_(device_->create_stream()) {
    for (auto& memory : host_) memory = device_->allocate_host(bytes);
    for (auto& memory : there_) memory = device_->allocate_device(bytes);
  }
  ~BareCopies() {
    device_->destroy_stream(stream_);
    for (void* memory : host_) device_->free_host(memory, bytes_);
    for (void* memory : there_) device_->free_device(memory, bytes_);
  }
  BareCopies(const BareCopies&) = delete;
  BareCopies& operator=(const BareCopies&) = delete;

  /// Bytes a second of `count` copies.
  double run(std::uint64_t count) const {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < count; ++i) {
      check(cudaMemcpyAsync(there_[i % 2], host_[i % 2], bytes_, cudaMemcpyHostToDevice,
                            stream_of(stream_)));
    }
    check(cudaStreamSynchronize(stream_of(stream_)));
    return static_cast<double>(count * bytes_) / seconds_since(start);
  }

 private:
  DevicePtr device_;
  std::size_t bytes_;
  StreamRef stream_;
  void* host_[2]{};
  void* there_[2]{};
};

LoaderOptions loader_options(const FeedOptions& options, const DevicePtr& device,
                             StreamRef stream) {
  LoaderOptions result;
  result.batch_size = options.batch_size;
  result.num_workers = options.num_workers;
  result.prefetch = options.prefetch;
  result.device = device;
  result.stream = stream;
  return result;
}

/// Bytes a second of a whole epoch that the consumer takes as fast as it comes.
double delivered(Loader& loader, std::uint64_t epoch, StreamRef stream, double bytes) {
  const auto start = Clock::now();
  for (const Batch& batch : loader.epoch(epoch, true)) static_cast<void>(batch);
  check(cudaStreamSynchronize(stream_of(stream)));
  return bytes / seconds_since(start);
}

nlohmann::ordered_json copies(const FeedOptions& options, const DevicePtr& device,
                              StreamRef stream) {
  const std::size_t batch_bytes = options.batch_size * options.sample_bytes;
  const double bytes = static_cast<double>(batch_bytes) * static_cast<double>(options.batches);
  const auto producer =
      std::make_shared<SmallTensors>(options.batches * options.batch_size, options.sample_bytes);
  Loader loader(producer, loader_options(options, device, stream));
  const BareCopies bare(device, batch_bytes);
  bare.run(10);
  delivered(loader, 0, stream, bytes);
  std::vector<double> bares, loaders, ratios;
  for (int round = 0; round < options.repetitions; ++round) {
    bares.push_back(bare.run(options.batches));
    loaders.push_back(delivered(loader, static_cast<std::uint64_t>(round) + 1, stream, bytes));
    ratios.push_back(loaders.back() / bares.back());
  }
  return {{"batch_bytes", batch_bytes},
          {"bare_bytes_per_second", median(bares)},
          {"loader_bytes_per_second", median(loaders)},
          {"ratio", median(ratios)}};
}

/// Time a step, with the kernel alone or behind a batch each; and each `next`.
struct Steps {
  double seconds = 0;
  std::vector<double> nexts;
};

Steps steps(std::optional<Epoch> epoch, const FeedOptions& options, StreamRef stream) {
  const auto nanoseconds = static_cast<std::uint64_t>(options.step_milliseconds * 1e6);
  Steps result;
  std::uint64_t count = 0;
  auto start = Clock::now();
  for (std::uint64_t i = 0; i < options.batches; ++i) {
    std::optional<Batch> batch;
    if (epoch) {
      const auto before = Clock::now();
      batch = epoch->next();
      result.nexts.push_back(seconds_since(before));
    }
    launch_spin(stream_of(stream), nanoseconds);
    // A training loop runs a few steps ahead of the device, not without bound.
    if (i % 4 == 3) check(cudaStreamSynchronize(stream_of(stream)));
    if (i == 7) {  // the first steps fill the rings
      start = Clock::now();
      result.nexts.clear();
    } else if (i > 7) {
      ++count;
    }
  }
  check(cudaStreamSynchronize(stream_of(stream)));
  result.seconds = seconds_since(start) / static_cast<double>(count);
  return result;
}

nlohmann::ordered_json step_times(const FeedOptions& options, const DevicePtr& device,
                                  StreamRef stream) {
  const auto producer =
      std::make_shared<SmallTensors>(options.batches * options.batch_size, options.sample_bytes);
  Loader loader(producer, loader_options(options, device, stream));
  std::vector<double> alone, fed, ratios, nexts;
  for (int round = 0; round < options.repetitions; ++round) {
    alone.push_back(steps({}, options, stream).seconds);
    Steps with = steps(loader.epoch(static_cast<std::uint64_t>(round), true), options, stream);
    fed.push_back(with.seconds);
    ratios.push_back(fed.back() / alone.back());
    nexts.insert(nexts.end(), with.nexts.begin(), with.nexts.end());
  }
  std::sort(nexts.begin(), nexts.end());
  return {{"kernel_seconds", options.step_milliseconds * 1e-3},
          {"alone_seconds", median(alone)},
          {"fed_seconds", median(fed)},
          {"ratio", median(ratios)},
          {"next_median_seconds", nexts[nexts.size() / 2]},
          {"next_p99_seconds", nexts[nexts.size() * 99 / 100]}};
}

nlohmann::ordered_json measure(const FeedOptions& options) {
  const DevicePtr device = cuda(options.device);
  check(cudaSetDevice(options.device));
  const StreamRef stream = device->create_stream();
  nlohmann::ordered_json report{{"machine", describe_machine()},
                                {"num_workers", options.num_workers}};
  report["copies"] = copies(options, device, stream);
  report["steps"] = step_times(options, device, stream);
  device->destroy_stream(stream);
  return report;
}

void print(const nlohmann::ordered_json& report) {
  const auto& copy = report["copies"];
  fmt::print(
      "batches of {:.0f} MiB from memory: {:.1f} GB/s to the device; cudaMemcpyAsync alone "
      "{:.1f} GB/s; ratio {:.3f}\n",
      copy["batch_bytes"].get<double>() / (1 << 20),
      copy["loader_bytes_per_second"].get<double>() * 1e-9,
      copy["bare_bytes_per_second"].get<double>() * 1e-9, copy["ratio"].get<double>());
  const auto& step = report["steps"];
  fmt::print(
      "steps of a {:.1f} ms kernel: {:.3f} ms alone, {:.3f} ms fed; ratio {:.4f}; next(): "
      "median {:.2f} us, p99 {:.2f} us\n",
      step["kernel_seconds"].get<double>() * 1e3, step["alone_seconds"].get<double>() * 1e3,
      step["fed_seconds"].get<double>() * 1e3, step["ratio"].get<double>(),
      step["next_median_seconds"].get<double>() * 1e6,
      step["next_p99_seconds"].get<double>() * 1e6);
}

void add_options(CLI::App& app, FeedOptions& options) {
  app.add_option("--sample-bytes", options.sample_bytes)->capture_default_str();
  app.add_option("--batch-size", options.batch_size)->capture_default_str();
  app.add_option("--batches", options.batches, "Batches of an epoch, more than 8")
      ->check(CLI::Range(9, 1'000'000))
      ->capture_default_str();
  app.add_option("--num-workers", options.num_workers)->capture_default_str();
  app.add_option("--prefetch", options.prefetch)->capture_default_str();
  app.add_option("--repetitions", options.repetitions)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--device", options.device)->capture_default_str();
  app.add_option("--step", options.step_milliseconds, "Milliseconds of a training step")
      ->capture_default_str();
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  using namespace stoker::bench;
  return report_main(argc, argv, "Measures how well a CUDA device is fed", FeedOptions{},
                     add_options, measure, print);
}
