#pragma once

#include <stoker/device/device.hpp>

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <source_location>
#include <vector>

namespace stoker::bench {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start);

/// Returns the smallest value that at least `part` of all values are no larger than. `values` must
/// not be empty.
double percentile(std::vector<double> values, double part);

/// @throws std::runtime_error with CUDA's words and the place of the call.
void check(cudaError_t status, std::source_location place = std::source_location::current());

/// A stream as a training loop has one: ordinary priority, no order with the default stream. Made
/// on the calling thread's current device.
class ConsumerStream {
 public:
  ConsumerStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~ConsumerStream() { cudaStreamDestroy(stream_); }
  ConsumerStream(const ConsumerStream&) = delete;
  ConsumerStream& operator=(const ConsumerStream&) = delete;

  cudaStream_t get() const noexcept { return stream_; }
  StreamRef ref() const noexcept { return {reinterpret_cast<std::uintptr_t>(stream_)}; }
  void synchronize() const { check(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaEvent {
 public:
  enum class Timing : bool { off, on };
  explicit CudaEvent(Timing timing = Timing::off) {
    check(cudaEventCreateWithFlags(
        &event_, timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming));
  }
  ~CudaEvent() { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream)); }
  void synchronize() const { check(cudaEventSynchronize(event_)); }
  /// The device's time from this event to a later one; both must be completed.
  double seconds_to(const CudaEvent& later) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Memory of a device or memory that it copies from, freed with its owner.
class FeedMemory {
 public:
  enum class Place : bool { host, device };
  FeedMemory(DevicePtr device, std::size_t bytes, Place place);
  ~FeedMemory();
  FeedMemory(FeedMemory&& other) noexcept;
  FeedMemory& operator=(FeedMemory&&) = delete;

  std::byte* data() const noexcept { return memory_; }

 private:
  DevicePtr device_;
  std::size_t bytes_;
  Place place_;
  std::byte* memory_;
};

/// Several of one size.
std::vector<FeedMemory> feed_memory(const DevicePtr& device, std::size_t count, std::size_t bytes,
                                    FeedMemory::Place place);

}  // namespace stoker::bench
