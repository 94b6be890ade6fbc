#include "bench/device_feed/cuda_handles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace stoker::bench {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double percentile(std::vector<double> values, double part) {
  const double rank = std::ceil(part * static_cast<double>(values.size()));
  const auto at = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

void check(cudaError_t status, std::source_location place) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(fmt::format("{}:{}: {} ({})", place.file_name(), place.line(),
                                       cudaGetErrorString(status), cudaGetErrorName(status)));
}

double CudaEvent::seconds_to(const CudaEvent& later) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, event_, later.event_));
  return static_cast<double>(milliseconds) * 1e-3;
}

FeedMemory::FeedMemory(DevicePtr device, std::size_t bytes, Place place)
    : device_(std::move(device)),
      bytes_(bytes),
      place_(place),
      memory_(static_cast<std::byte*>(place == Place::host ? device_->allocate_host(bytes)
                                                           : device_->allocate_device(bytes))) {}

FeedMemory::~FeedMemory() {
  if (memory_ == nullptr) return;
  if (place_ == Place::host) {
    device_->free_host(memory_, bytes_);
  } else {
    device_->free_device(memory_, bytes_);
  }
}

FeedMemory::FeedMemory(FeedMemory&& other) noexcept
    : device_(std::move(other.device_)),
      bytes_(other.bytes_),
      place_(other.place_),
      memory_(std::exchange(other.memory_, nullptr)) {}

std::vector<FeedMemory> feed_memory(const DevicePtr& device, std::size_t count, std::size_t bytes,
                                    FeedMemory::Place place) {
  std::vector<FeedMemory> blocks;
  blocks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) blocks.emplace_back(device, bytes, place);
  return blocks;
}

}  // namespace stoker::bench
