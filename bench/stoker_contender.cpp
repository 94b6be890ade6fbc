#include "bench/stoker_contender.hpp"

#include <chrono>

namespace stoker::bench {
namespace {

LoaderOptions loader_options(const Workload& workload) {
  LoaderOptions options;
  options.batch_size = workload.batch_size;
  options.shuffle = workload.shuffle;
  options.seed = workload.seed;
  options.num_workers = workload.num_workers;
  options.prefetch = workload.prefetch;
  options.num_readers = workload.num_readers;
  return options;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

StokerContender::StokerContender(const Workload& workload)
    : source_(repeated(workload.files, workload.repeat)),
      loader_(*source_, workload.pipeline, loader_options(workload)) {}

Measurement StokerContender::describe() const {
  Measurement measurement;
  measurement.key = "stoker";
  measurement.title = "stoker";
  measurement.num_workers = num_workers();
  return measurement;
}

Repetition StokerContender::run(std::uint64_t epoch, const Progress& progress) {
  loader_.reset_stats();
  Repetition result;
  const double cpu_before = cpu_seconds_now();
  const auto start = std::chrono::steady_clock::now();
  // The last epoch as far as the loader knows: a guess at the next one would work on the other
  // contenders' time.
  Epoch walk = loader_.epoch(epoch, true);
  while (const auto batch = walk.next()) {
    if (result.images == 0) result.first_batch_seconds = seconds_since(start);
    result.images += batch->size();
    progress(batch->size());
  }
  result.seconds = seconds_since(start);
  result.cpu_seconds = cpu_seconds_now() - cpu_before;
  return result;
}

}  // namespace stoker::bench
