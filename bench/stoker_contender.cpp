#include "bench/stoker_contender.hpp"

#include <chrono>
#include <utility>

namespace stoker::bench {
namespace {

LoaderOptions loader_options(const Workload& workload, StreamRef stream) {
  LoaderOptions options;
  options.batch_size = workload.batch_size;
  options.shuffle = workload.shuffle;
  options.seed = workload.seed;
  options.num_workers = workload.num_workers;
  options.prefetch = workload.prefetch;
  options.num_readers = workload.num_readers;
  options.device = workload.device;
  options.stream = stream;
  options.finish = workload.finish;
  options.resize_on = workload.resize_on;
  return options;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

DeliveryStream::DeliveryStream(DevicePtr device)
    : device_(std::move(device)),
      stream_(device_->create_stream()),
      mark_(device_->create_event()) {}

DeliveryStream::~DeliveryStream() {
  device_->destroy_event(mark_);
  device_->destroy_stream(stream_);
}

/// Each batch was delivered by letting the stream wait for its copy.
void DeliveryStream::wait_for_batches() const {
  device_->record(mark_, stream_);
  device_->synchronize(mark_);
}

StokerContender::StokerContender(const Workload& workload)
    : source_(repeated(workload.files, workload.repeat)),
      delivery_(workload.device),
      loader_(*source_, workload.pipeline, loader_options(workload, delivery_.stream())) {}

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
    if (result.images == 0) {
      delivery_.wait_for_batches();
      result.first_batch_seconds = seconds_since(start);
    }
    result.images += batch->size();
    progress(batch->size());
  }
  delivery_.wait_for_batches();
  result.seconds = seconds_since(start);
  result.cpu_seconds = cpu_seconds_now() - cpu_before;
  return result;
}

}  // namespace stoker::bench
