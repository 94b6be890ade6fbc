#include "src/engine/loader_options.hpp"

#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <fmt/format.h>

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
  if (options.shuffle && options.sampler) {
    throw Error(ErrorCode::invalid_argument, "shuffle and sampler exclude each other");
  }
  if (options.workers && options.num_workers == 0) {
    throw Error(ErrorCode::invalid_argument, "num_workers = 0 has no use for a worker pool");
  }
}

std::shared_ptr<const Sampler> sampler_for(const LoaderOptions& options, std::uint64_t size) {
  if (options.sampler) return options.sampler;
  if (options.shuffle) return std::make_shared<RandomSampler>(size);
  return std::make_shared<SequentialSampler>(size);
}

int readers_for(const LoaderOptions& options, const Producer& producer) {
  if (options.num_workers == 0 || producer.in_memory()) return 0;
  if (options.num_readers > 0) return options.num_readers;
  return std::clamp(options.num_workers, 2, 16);
}

}  // namespace

LoaderOptions resolve(LoaderOptions options, const Producer& producer) {
  check(options, producer);
  if (!options.device) options.device = host();
  if (options.num_workers == LoaderOptions::automatic && !options.workers) {
    options.num_workers = std::max(1, available_processors() - 1);
  }
  if (options.num_workers != 0 && !options.workers) {
    options.workers = std::make_shared<WorkerPool>(options.num_workers);
  }
  if (options.workers) options.num_workers = options.workers->num_workers();
  options.num_readers = readers_for(options, producer);
  options.sampler = sampler_for(options, producer.size());
  return options;
}

}  // namespace stoker
