#include "bench/device_feed/bare_copies.hpp"
#include "bench/device_feed/cuda_handles.hpp"
#include "bench/device_feed/feed.hpp"
#include "bench/device_feed/formula_photos.hpp"
#include "bench/measurement.hpp"
#include "bench/small_tensors.hpp"
#include <stoker/device/cuda.hpp>
#include <stoker/engine/worker_pool.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>
#include <stdexcept>

namespace stoker::bench {
namespace {

constexpr int devices = 2;
constexpr std::size_t settling_batches = 8;

/// One value a device.
using Pair = std::array<double, devices>;

/// When each batch was delivered.
using Times = std::vector<Clock::time_point>;

Times walk(Loader& loader, std::uint64_t epoch, const ConsumerStream& stream) {
  Times times;
  for (const Batch& batch : loader.epoch(epoch, true)) {
    static_cast<void>(batch);
    times.push_back(Clock::now());
  }
  stream.synchronize();
  return times;
}

/// Batches a second from one time to another.
double rate(const Times& times, Clock::time_point from, Clock::time_point to) {
  const auto first = std::lower_bound(times.begin(), times.end(), from);
  const auto behind = std::upper_bound(first, times.end(), to);
  if (behind - first < 2) throw std::runtime_error("the devices' epochs hardly overlap");
  const std::chrono::duration<double> seconds = *(behind - 1) - *first;
  return static_cast<double>(behind - first - 1) / seconds.count();
}

/// A device with all that is measured on it. Made on a thread whose current device it is.
class Side {
 public:
  Side(const Feed& feed, int ordinal, const std::shared_ptr<WorkerPool>& workers,
       const Source& photos, const std::shared_ptr<const SmallTensors>& tensors)
      : device_(cuda(ordinal)),
        bare_(device_, feed.batch_bytes()),
        photos_(photos, photo_pipeline(), options(feed, workers, photo_batch)),
        tensors_(tensors, options(feed, workers, feed.options.batch_size)) {}

  static constexpr std::size_t photo_batch = 64;

  Times decode(std::uint64_t epoch) { return walk(photos_, epoch, stream_); }
  Times copy(std::uint64_t epoch) { return walk(tensors_, epoch, stream_); }
  double bare(std::uint64_t count) const { return bare_.run(count); }

 private:
  LoaderOptions options(const Feed& feed, const std::shared_ptr<WorkerPool>& workers,
                        std::size_t batch_size) const {
    LoaderOptions result = feed.loader_options(stream_.ref());
    result.device = device_;
    result.workers = workers;
    result.num_workers = workers->num_workers();
    result.batch_size = batch_size;
    return result;
  }

  DevicePtr device_;
  ConsumerStream stream_;
  BareCopies bare_;
  Loader photos_, tensors_;
};

/// Does the same for both devices at the same time, each on a thread of its own.
template <class Work>
auto on_both(Work work) {
  const auto start = [&](int ordinal) {
    return std::async(std::launch::async, [&work, ordinal] {
      check(cudaSetDevice(ordinal));
      return work(static_cast<std::size_t>(ordinal));
    });
  };
  auto first = start(0), second = start(1);
  first.wait();
  second.wait();
  auto result = first.get();
  return std::array{std::move(result), second.get()};
}

/// Batches a second of each, in the time that both have in common.
Pair common_rates(const std::array<Times, devices>& times) {
  for (const Times& side : times) {
    if (side.size() <= settling_batches) throw std::runtime_error("too few batches");
  }
  const auto from = std::max(times[0][settling_batches], times[1][settling_batches]);
  const auto to = std::min(times[0].back(), times[1].back());
  return {rate(times[0], from, to), rate(times[1], from, to)};
}

/// The rounds of a figure that each device has.
struct Rounds {
  std::array<std::vector<double>, devices> values;
  void add(const Pair& pair) {
    for (std::size_t i = 0; i < devices; ++i) values[i].push_back(pair[i]);
  }
  Json medians() const { return {median(values[0]), median(values[1])}; }
};

Pair over(const Pair& above, const Pair& below) {
  return {above[0] / below[0], above[1] / below[1]};
}

int shared_workers(const FeedOptions& options) {
  if (options.num_workers != LoaderOptions::automatic) return options.num_workers;
  return std::max(1, available_processors() - devices);  // a core for each consumer
}

using Sides = std::array<std::unique_ptr<Side>, devices>;

Json measure_decode(const FeedOptions& options, Sides& sides) {
  std::vector<double> alone;
  Rounds together, ratios;
  std::uint64_t epoch = 0;
  for (int round = 0; round < options.repetitions; ++round) {
    check(cudaSetDevice(0));
    const Times times = sides[0]->decode(epoch++);
    alone.push_back(rate(times, times[settling_batches], times.back()) * Side::photo_batch);
    Pair rates = common_rates(on_both([&](std::size_t i) { return sides[i]->decode(epoch); }));
    ++epoch;
    for (double& value : rates) value *= Side::photo_batch;
    together.add(rates);
    ratios.add(over(rates, {alone.back() / devices, alone.back() / devices}));
  }
  return {{"alone_images_per_second", median(alone)},
          {"together_images_per_second", together.medians()},
          {"over_half_of_alone", ratios.medians()}};
}

Json measure_copy(const FeedOptions& options, Sides& sides, double batch_bytes) {
  Rounds bare_alone, bare_together, loaders, over_alone, over_together;
  for (int round = 0; round < options.repetitions; ++round) {
    Pair alone{};
    for (std::size_t i = 0; i < devices; ++i) {
      check(cudaSetDevice(static_cast<int>(i)));
      alone[i] = sides[i]->bare(options.batches);
    }
    const Pair bare = on_both([&](std::size_t i) { return sides[i]->bare(options.batches); });
    const auto epoch = static_cast<std::uint64_t>(round);
    Pair rates = common_rates(on_both([&](std::size_t i) { return sides[i]->copy(epoch); }));
    for (double& value : rates) value *= batch_bytes;
    bare_alone.add(alone);
    bare_together.add(bare);
    loaders.add(rates);
    over_alone.add(over(rates, alone));
    over_together.add(over(rates, bare));
  }
  return {{"bare_alone_bytes_per_second", bare_alone.medians()},
          {"bare_together_bytes_per_second", bare_together.medians()},
          {"loaders_bytes_per_second", loaders.medians()},
          {"over_bare_alone", over_alone.medians()},
          {"over_bare_together", over_together.medians()}};
}

}  // namespace

Json measure_two_devices(const Feed& feed) {
  if (cuda_device_count() < devices) {
    throw std::runtime_error("the figure two_devices needs two CUDA devices");
  }
  const FeedOptions& options = feed.options;
  const auto workers = std::make_shared<WorkerPool>(shared_workers(options));
  const auto photos = formula_photos(4 * options.batches * Side::photo_batch);
  const auto tensors = feed.tensors();
  Sides sides;
  for (int i = 0; i < devices; ++i) {
    check(cudaSetDevice(i));
    sides[static_cast<std::size_t>(i)] = std::make_unique<Side>(feed, i, workers, *photos, tensors);
  }
  Json json{{"num_workers", workers->num_workers()}};
  json["decode"] = measure_decode(options, sides);
  json["copy"] = measure_copy(options, sides, static_cast<double>(feed.batch_bytes()));
  sides = {};
  check(cudaSetDevice(options.device));
  return json;
}

void print_two_devices(const Json& figure) {
  const auto pair = [](const Json& values, double scale) {
    return fmt::format("{:.3f} and {:.3f}", values[0].get<double>() * scale,
                       values[1].get<double>() * scale);
  };
  const Json& decode = figure["decode"];
  fmt::print(
      "two devices, a loader each, {} shared workers\n"
      "  decoding: {:.0f} images/s alone; {} together; over half of alone {}\n",
      figure["num_workers"].get<int>(), decode["alone_images_per_second"].get<double>(),
      pair(decode["together_images_per_second"], 1), pair(decode["over_half_of_alone"], 1));
  const Json& copy = figure["copy"];
  fmt::print(
      "  copying, GB/s: bare {} alone, {} together; loaders {}; over bare alone {}, over "
      "bare together {}\n",
      pair(copy["bare_alone_bytes_per_second"], 1e-9),
      pair(copy["bare_together_bytes_per_second"], 1e-9),
      pair(copy["loaders_bytes_per_second"], 1e-9), pair(copy["over_bare_alone"], 1),
      pair(copy["over_bare_together"], 1));
}

}  // namespace stoker::bench
