#pragma once

#include "bench/device_feed/cuda_handles.hpp"
#include "bench/small_tensors.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stoker::bench {

/// What a loader is made of, without the loader: threads that fill pinned buffers from memory, and
/// one that copies them to a device. What it reaches is what this machine's memory gives.
class BarePipeline {
 public:
  /// Batches of `batch_size` of the producer's samples. The calling thread's current device must be
  /// `device`.
  BarePipeline(const DevicePtr& device, std::shared_ptr<const SmallTensors> producer,
               std::size_t batch_size, int num_threads);

  /// Bytes a second of threads that only fill.
  double fill(std::uint64_t batches);

  /// Bytes a second of both sides when they run at the same time and need not wait for each other.
  struct SideBySide {
    double filled = 0;
    double copied = 0;
  };
  SideBySide side_by_side(std::uint64_t batches);

  /// Bytes a second that arrive when each batch is filled, handed over and copied.
  double hand_over(std::uint64_t batches);

 private:
  static constexpr std::size_t host_buffers = 5;

  void fill_sample(std::uint64_t sample);
  void copy(std::uint64_t batch);
  void fill_in_turn(std::uint64_t samples);
  void copy_in_turn(std::uint64_t batches);

  std::shared_ptr<const SmallTensors> producer_;
  std::size_t sample_bytes_;
  std::size_t batch_size_;
  int num_threads_;
  std::vector<FeedMemory> host_, there_;
  std::vector<CudaEvent> copied_;
  ConsumerStream stream_;
  std::atomic<std::uint64_t> next_sample_{0};
  std::vector<std::atomic<std::uint64_t>> filled_;  ///< samples, of each host buffer
  std::atomic<std::uint64_t> batches_copied_{0};
};

}  // namespace stoker::bench
