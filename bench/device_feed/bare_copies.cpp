#include "bench/device_feed/bare_copies.hpp"

namespace stoker::bench {

BareCopies::BareCopies(const DevicePtr& device, std::size_t bytes)
    : bytes_(bytes),
      host_(feed_memory(device, 2, bytes, FeedMemory::Place::host)),
      there_(feed_memory(device, 2, bytes, FeedMemory::Place::device)) {}

double BareCopies::run(std::uint64_t count) const {
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < count; ++i) {
    check(cudaMemcpyAsync(there_[i % 2].data(), host_[i % 2].data(), bytes_, cudaMemcpyHostToDevice,
                          stream_.get()));
  }
  stream_.synchronize();
  return static_cast<double>(count * bytes_) / seconds_since(start);
}

}  // namespace stoker::bench
