#include "bench/device_feed/bare_pipeline.hpp"

#include <stoker/core/stream_copy.hpp>

#include <thread>
#include <utility>

namespace stoker::bench {
namespace {

/// Runs the same work on so many threads until all are done.
template <class Work>
std::vector<std::jthread> on_threads(int count, Work work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work);
  return threads;
}

/// Does something when its scope ends, also by an error: lets threads end that would wait for ever.
template <class Work>
class AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  ~AtEnd() { work_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Work work_;
};

void wait_for(const std::atomic<std::uint64_t>& value, std::uint64_t least) {
  for (std::uint64_t seen; (seen = value.load(std::memory_order_acquire)) < least;) {
    value.wait(seen, std::memory_order_acquire);
  }
}

}  // namespace

BarePipeline::BarePipeline(const DevicePtr& device, std::shared_ptr<const SmallTensors> producer,
                           std::size_t batch_size, int num_threads)
    : producer_(std::move(producer)),
      sample_bytes_(producer_->bytes(0).size()),
      batch_size_(batch_size),
      num_threads_(num_threads),
      host_(feed_memory(device, host_buffers, sample_bytes_ * batch_size, FeedMemory::Place::host)),
      there_(feed_memory(device, 2, sample_bytes_ * batch_size, FeedMemory::Place::device)),
      copied_(host_buffers),
      filled_(host_buffers) {}

void BarePipeline::fill_sample(std::uint64_t sample) {
  const std::size_t place = sample % (host_buffers * batch_size_);
  stream_copy(host_[place / batch_size_].data() + place % batch_size_ * sample_bytes_,
              producer_->bytes(sample).data(), sample_bytes_);
}

void BarePipeline::copy(std::uint64_t batch) {
  const std::size_t place = batch % host_buffers;
  check(cudaMemcpyAsync(there_[batch % 2].data(), host_[place].data(), sample_bytes_ * batch_size_,
                        cudaMemcpyHostToDevice, stream_.get()));
  copied_[place].record(stream_.get());
}

double BarePipeline::fill(std::uint64_t batches) {
  const std::uint64_t samples = batches * batch_size_;
  next_sample_ = 0;
  const auto start = Clock::now();
  on_threads(num_threads_, [&] {
    for (std::uint64_t i; (i = next_sample_.fetch_add(1)) < samples;) fill_sample(i);
  }).clear();
  return static_cast<double>(samples * sample_bytes_) / seconds_since(start);
}

/// The copies may read what is being overwritten: nobody looks at the result.
BarePipeline::SideBySide BarePipeline::side_by_side(std::uint64_t batches) {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> samples{0};
  const auto threads = on_threads(num_threads_, [&] {
    while (!stop.load(std::memory_order_relaxed)) fill_sample(samples.fetch_add(1));
  });
  const AtEnd end([&] { stop = true; });
  const std::uint64_t before = samples.load();
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < batches; ++i) copy(i);
  stream_.synchronize();
  const double seconds = seconds_since(start);
  const std::uint64_t filled = samples.load() - before;
  return {static_cast<double>(filled * sample_bytes_) / seconds,
          static_cast<double>(batches * batch_size_ * sample_bytes_) / seconds};
}

void BarePipeline::fill_in_turn(std::uint64_t samples) {
  for (std::uint64_t i; (i = next_sample_.fetch_add(1)) < samples;) {
    const std::uint64_t batch = i / batch_size_;
    // The buffer's last batch must have been copied.
    if (batch >= host_buffers) wait_for(batches_copied_, batch - host_buffers + 1);
    fill_sample(i);
    std::atomic<std::uint64_t>& filled = filled_[batch % host_buffers];
    if (filled.fetch_add(1, std::memory_order_acq_rel) + 1 == batch_size_) filled.notify_one();
  }
}

/// One copy is always queued behind the one that runs, where there is one to queue.
void BarePipeline::copy_in_turn(std::uint64_t batches) {
  for (std::uint64_t i = 0; i <= batches; ++i) {
    if (i < batches) {
      std::atomic<std::uint64_t>& filled = filled_[i % host_buffers];
      wait_for(filled, batch_size_);
      filled.store(0, std::memory_order_relaxed);
      copy(i);
    }
    if (i == 0) continue;
    copied_[(i - 1) % host_buffers].synchronize();
    batches_copied_.store(i, std::memory_order_release);
    batches_copied_.notify_all();
  }
}

double BarePipeline::hand_over(std::uint64_t batches) {
  const std::uint64_t samples = batches * batch_size_;
  next_sample_ = 0;
  batches_copied_ = 0;
  const auto start = Clock::now();
  const auto threads = on_threads(num_threads_, [&] { fill_in_turn(samples); });
  const AtEnd end([&] {
    batches_copied_ = batches;
    batches_copied_.notify_all();
  });
  copy_in_turn(batches);
  return static_cast<double>(samples * sample_bytes_) / seconds_since(start);
}

}  // namespace stoker::bench
