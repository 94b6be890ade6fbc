#include "src/engine/loader_options.hpp"

#include "src/device/numa.hpp"
#include "src/engine/thread_affinity.hpp"
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <limits>

namespace stoker {
namespace {

constexpr std::size_t most_prefetch = 4096;
constexpr std::size_t most_batch_size = std::size_t{1} << 24;
constexpr int most_threads = 1024;

template <class T>
void check_range(const char* option, T value, T low, T high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} is {}, it must be from {} to {}", option, value, low, high));
}

[[noreturn]] void refuse(const char* why) { throw Error(ErrorCode::invalid_argument, why); }

void check_order(const LoaderOptions& options) {
  RankSplit{options.rank, options.world_size, options.remainder}.check();
  if (options.shuffle && options.sampler) refuse("shuffle and sampler exclude each other");
  if (options.sampler && options.sampler->as_distributed() != nullptr &&
      (options.world_size != 1 || options.remainder != Remainder::pad)) {
    refuse("a DistributedSampler excludes rank, world_size and remainder, which it brings along");
  }
  if (options.batch_sampler &&
      (options.batch_size != 1 || options.shuffle || options.sampler || options.drop_last)) {
    refuse("batch_sampler excludes batch_size, shuffle, sampler and drop_last");
  }
  if (options.batch_sampler) {
    check_range<std::size_t>("batch_sampler's largest batch",
                             options.batch_sampler->max_batch_size(), 1, most_batch_size);
  }
}

void check_snapshot(const LoaderOptions& options) {
  if (options.snapshot.path.empty()) return;
  if (options.snapshot.every_n_batches == 0) {
    refuse("snapshot.every_n_batches is 0, it must be at least 1");
  }
  if (options.delivery == Delivery::as_completed) refuse("snapshots need Delivery::in_order");
}

void check_fields(const LoaderOptions& options, const Producer& producer) {
  const auto is_ragged = [](const FieldSpec& field) { return field.budget != 0; };
  if (std::ranges::none_of(producer.fields(), is_ragged)) return;
  if (options.device && !options.device->zero_copy() && producer.device_stage()) return;
  refuse("the producer has a ragged field, which needs a device and a DeviceStage that reads it");
}

void check(const LoaderOptions& options, const Producer& producer) {
  if (producer.size() == 0) throw Error(ErrorCode::empty_source, "the source has no samples");
  check_range<std::size_t>("batch_size", options.batch_size, 1, most_batch_size);
  check_range<std::size_t>("prefetch", options.prefetch, 1, most_prefetch);
  check_range<std::size_t>("device_prefetch", options.device_prefetch, 2, most_prefetch);
  check_range<std::size_t>("max_encoded_bytes", options.max_encoded_bytes, 1,
                           std::numeric_limits<std::size_t>::max());
  check_range("num_workers", options.num_workers, LoaderOptions::automatic, most_threads);
  check_range("num_readers", options.num_readers, LoaderOptions::automatic, most_threads);
  if (options.timeout.count() < 0) {
    throw Error(ErrorCode::invalid_argument, "timeout must not be negative");
  }
  if (options.workers && options.num_workers == 0) {
    throw Error(ErrorCode::invalid_argument, "num_workers = 0 has no use for a worker pool");
  }
  if (options.num_epochs > 0) check_epoch(options.num_epochs - 1);
  check_fields(options, producer);
  check_order(options);
  check_snapshot(options);
}

/// A DistributedSampler becomes the sampler that it splits, and the options that say how.
void decide_order(LoaderOptions& options, std::uint64_t size) {
  const DistributedSampler* const share =
      options.sampler ? options.sampler->as_distributed() : nullptr;
  if (share != nullptr) {
    const RankSplit split = share->split();
    options.rank = split.rank;
    options.world_size = split.world_size;
    options.remainder = split.remainder;
    options.sampler = std::shared_ptr<const Sampler>(share->global());
  } else if (!options.sampler && !options.batch_sampler) {
    if (options.shuffle) {
      options.sampler = std::make_shared<RandomSampler>(size);
    } else {
      options.sampler = std::make_shared<SequentialSampler>(size);
    }
  }
}

/// Random numbers are drawn by position.
void check_positions(const LoaderOptions& options) {
  constexpr std::uint64_t most = std::uint64_t{1} << 48;  // RandomKey's
  const std::uint64_t size =
      options.batch_sampler ? options.batch_sampler->size() : options.sampler->size();
  if (size == 0) throw Error(ErrorCode::empty_source, "the sampler has no samples");
  if (size <= most) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("an epoch of {} samples is too long, it may have {}", size, most));
}

/// Some rank would have nothing to do, or only what others do, and the others would wait for it.
void check_enough_for_ranks(const LoaderOptions& options) {
  const bool batches = options.batch_sampler != nullptr;
  const std::uint64_t size = batches ? options.batch_sampler->size() : options.sampler->size();
  if (options.world_size == 1 || size >= options.world_size) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("an epoch's {} {} cannot be split among {} ranks: some would have none of "
                  "their own; use fewer ranks",
                  size, batches ? "batches" : "samples", options.world_size));
}

int readers_for(const LoaderOptions& options, const Producer& producer) {
  if (options.num_workers == 0 || producer.in_memory()) return 0;
  if (options.num_readers > 0) return options.num_readers;
  return std::clamp(options.num_workers, 2, 16);
}

/// The processors near the device, if all workers find one there.
std::vector<int> processors_near_device(const LoaderOptions& options) {
  const std::optional<int> node = options.device->numa_node();
  if (!options.near_device || !node) return {};
  return processors_near(*node, numa_nodes(), usable_processors(), options.num_workers);
}

/// Where the loader's threads are kept. With a device, automatic workers leave this thread its
/// processor: the scheduler and the copies would otherwise take turns with its kernel launches.
std::vector<int> processors_for(const LoaderOptions& options, bool automatic) {
  std::vector<int> processors = processors_near_device(options);
  if (!automatic || options.device->zero_copy()) return processors;
  std::vector<int> all = processors.empty() ? usable_processors() : processors;
  const std::size_t before = all.size();
  all = leaving_one(std::move(all), sched_getcpu(), options.num_workers);
  return all.size() < before ? all : processors;
}

}  // namespace

LoaderOptions resolve(LoaderOptions options, const Producer& producer) {
  check(options, producer);
  decide_order(options, producer.size());
  check_positions(options);
  check_enough_for_ranks(options);
  if (!options.device) options.device = host();
  const bool automatic = options.num_workers == LoaderOptions::automatic;
  if (automatic && !options.workers) {
    options.num_workers = std::max(1, available_processors() - 1);
  }
  if (options.num_workers != 0 && !options.workers) {
    options.workers = std::make_shared<WorkerPool>(
        options.num_workers,
        WorkerPoolOptions{processors_for(options, automatic), producer.may_block()});
  }
  if (options.workers) options.num_workers = options.workers->num_workers();
  options.num_readers = readers_for(options, producer);
  return options;
}

void check_epoch(std::uint64_t epoch) {
  if (epoch < most_epochs) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("epoch {} is too large, it must be below {}", epoch, most_epochs));
}

}  // namespace stoker
