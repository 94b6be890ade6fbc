#pragma once

#include "bench/device_feed/cuda_handles.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stoker::bench {

/// Pinned and device memory for copies one behind the other: the bus's limit. Used on a thread
/// whose current device is the memory's.
class BareCopies {
 public:
  BareCopies(const DevicePtr& device, std::size_t bytes);

  /// Bytes a second of `count` copies.
  double run(std::uint64_t count) const;

 private:
  std::size_t bytes_;
  std::vector<FeedMemory> host_, there_;
  ConsumerStream stream_;
};

}  // namespace stoker::bench
