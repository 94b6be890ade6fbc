#pragma once

#include <stoker/device/device.hpp>
#include <stoker/engine/loader.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stoker::bench {

class SmallTensors;

using Json = nlohmann::ordered_json;

/// What `device_feed` can be told.
struct FeedOptions {
  std::vector<std::string> figures;    ///< none: all that the machine has the devices for
  std::size_t sample_bytes = 614'400;  ///< 150 MiB a batch
  std::size_t batch_size = 256;
  std::uint64_t batches = 100;  ///< of an epoch
  int num_workers = LoaderOptions::automatic;
  std::size_t prefetch = 4;
  std::size_t device_prefetch = LoaderOptions{}.device_prefetch;
  int repetitions = 5;
  int device = 0;
  int launches = 1000;            ///< of the short kernels of a step, in the figure launches
  double step_milliseconds = 20;  ///< of the kernel that stands for a training step
  std::uint64_t memory_batches = 10'000;
  bool stats = false;  ///< print the counters of the loader's run
  std::string json;
};

/// What all figures are measured with.
struct Feed {
  FeedOptions options;
  DevicePtr device;

  std::size_t batch_bytes() const noexcept { return options.batch_size * options.sample_bytes; }
  /// Tensors in memory for an epoch.
  std::shared_ptr<SmallTensors> tensors() const;
  /// Options of a loader that feeds `stream`.
  LoaderOptions loader_options(StreamRef stream) const;
};

// Each figure is measured in turns, repetition by repetition, and is a median. Each `measure_*`
// returns an object, each `print_*` shows it to people.

/// Batches from memory against bare copies, and what limits them.
Json measure_copies(const Feed& feed);
void print_copies(const Json& figure);

/// Steps of a fixed length, fed, against the kernel alone; `next` and release.
Json measure_steps(const Feed& feed);
void print_steps(const Json& figure);

/// Calls of CUDA's that the consumer's thread makes inside `next` and release.
Json measure_host_calls(const Feed& feed);
void print_host_calls(const Json& figure);

/// How much of the copies' time lies under the consumer's kernels.
Json measure_trace(const Feed& feed);
void print_trace(const Json& figure);

/// Latency of kernel launches beside an idle loader, one with all workers busy, and bare decoders.
Json measure_launches(const Feed& feed);
void print_launches(const Json& figure);

/// Two devices in one process with shared workers. @throws std::runtime_error where there is one.
Json measure_two_devices(const Feed& feed);
void print_two_devices(const Json& figure);

/// Device memory before a loader, with it, and after many batches.
Json measure_memory(const Feed& feed);
void print_memory(const Json& figure);

}  // namespace stoker::bench
