#include "bench/device_feed/cuda_handles.hpp"
#include "bench/device_feed/feed.hpp"
#include "bench/device_feed/formula_photos.hpp"
#include "bench/machine.hpp"
#include "bench/small_tensors.hpp"
#include "bench/spin_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace stoker::bench {
namespace {

constexpr std::uint64_t settling_batches = 100;

std::int64_t free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

std::int64_t resident() { return static_cast<std::int64_t>(resident_bytes()); }

using MakeLoader = std::function<Loader(StreamRef)>;

/// Device memory taken by making the loader, by its first batches, and by all batches behind them.
Json follow(const MakeLoader& make, std::uint64_t batches) {
  const ConsumerStream stream;
  launch_nothing(stream.get());  // the program's kernels are loaded with the first launch
  stream.synchronize();
  const std::int64_t before = free_memory();
  Loader loader = make(stream.ref());
  const std::int64_t made = free_memory();
  std::int64_t settled = made, settled_resident = 0;
  std::uint64_t count = 0;
  for (const Batch& batch : loader.epoch(0, true)) {
    static_cast<void>(batch);
    launch_nothing(stream.get());
    if (++count == settling_batches) {
      settled = free_memory();
      settled_resident = resident();
    }
    if (count == batches) break;
  }
  stream.synchronize();
  const std::uint64_t slot = loader.options().device_prefetch;
  return {{"batches", count},
          {"device_slots", slot},
          {"taken_by_construction_bytes", before - made},
          {"taken_by_first_batches_bytes", made - settled},
          {"taken_by_later_batches_bytes", settled - free_memory()},
          {"host_taken_by_later_batches_bytes", resident() - settled_resident}};
}

Json follow_tensors(const Feed& feed, std::uint64_t batches) {
  constexpr std::size_t batch_size = 64, sample_bytes = std::size_t{16} << 10;  // 1 MiB a batch
  const auto producer = std::make_shared<SmallTensors>(batches * batch_size, sample_bytes);
  const auto make = [&](StreamRef stream) {
    LoaderOptions options = feed.loader_options(stream);
    options.batch_size = batch_size;
    return Loader(producer, options);
  };
  Json json = follow(make, batches);
  json["slot_bytes"] = batch_size * sample_bytes;
  return json;
}

Json follow_photos(const Feed& feed, std::uint64_t batches) {
  constexpr std::size_t batch_size = 32;
  const auto photos = formula_photos(batches * batch_size);
  const auto make = [&](StreamRef stream) {
    LoaderOptions options = feed.loader_options(stream);
    options.batch_size = batch_size;
    options.finish = FinishOn::device;
    return Loader(*photos, photo_pipeline(), options);
  };
  Json json = follow(make, batches);
  json["slot_bytes"] = batch_size * 3 * 224 * 224 * 2;
  return json;
}

}  // namespace

Json measure_memory(const Feed& feed) {
  const std::uint64_t batches = std::max(feed.options.memory_batches, 2 * settling_batches);
  Json json;
  json["tensors"] = follow_tensors(feed, batches);
  json["photos_finished_on_device"] =
      follow_photos(feed, std::max(batches / 10, 2 * settling_batches));
  return json;
}

void print_memory(const Json& figure) {
  fmt::print("memory of the device, in MiB (and of the host, behind {} batches)\n",
             settling_batches);
  for (const auto& [what, values] : figure.items()) {
    const auto mebibytes = [&values = values](const char* key) {
      return values[key].get<double>() / (1 << 20);
    };
    fmt::print(
        "  {}: {} slots of {:.2f}; taken by construction {:.2f}, by the first batches "
        "{:.2f}, by {} batches behind them {:.2f} (host {:.2f})\n",
        what, values["device_slots"].get<std::size_t>(), mebibytes("slot_bytes"),
        mebibytes("taken_by_construction_bytes"), mebibytes("taken_by_first_batches_bytes"),
        values["batches"].get<std::uint64_t>() - settling_batches,
        mebibytes("taken_by_later_batches_bytes"), mebibytes("host_taken_by_later_batches_bytes"));
  }
}

}  // namespace stoker::bench
