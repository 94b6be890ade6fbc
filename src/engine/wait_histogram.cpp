#include "src/engine/wait_histogram.hpp"

#include <algorithm>
#include <bit>

namespace stoker {

// Small values have a bucket each; above, the bits behind the leading one choose within its octave.
std::size_t WaitHistogram::bucket_of(std::uint64_t nanoseconds) noexcept {
  if (nanoseconds < sub_buckets) return nanoseconds;
  const int shift = std::bit_width(nanoseconds) - 1 - sub_bits;
  return static_cast<std::size_t>(shift + 1) * sub_buckets + ((nanoseconds >> shift) - sub_buckets);
}

std::uint64_t WaitHistogram::value_of(std::size_t bucket) noexcept {
  if (bucket < sub_buckets) return bucket;
  const std::size_t shift = bucket / sub_buckets - 1;
  return (sub_buckets + bucket % sub_buckets) << shift;
}

void WaitHistogram::add(std::chrono::nanoseconds duration) noexcept {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
  counts_[bucket_of(value)].fetch_add(1, std::memory_order_relaxed);
  total_.fetch_add(value, std::memory_order_relaxed);
  if (value > max_.load(std::memory_order_relaxed)) max_.store(value, std::memory_order_relaxed);
}

WaitStats WaitHistogram::stats() const noexcept {
  WaitStats stats;
  for (const auto& count : counts_) stats.count += count.load(std::memory_order_relaxed);
  stats.total = std::chrono::nanoseconds(total_.load(std::memory_order_relaxed));
  stats.max = std::chrono::nanoseconds(max_.load(std::memory_order_relaxed));
  const auto percentile = [&](std::uint64_t percent) {
    const std::uint64_t rank = (stats.count * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
      seen += counts_[i].load(std::memory_order_relaxed);
      if (seen >= rank && seen > 0) {
        return std::min(std::chrono::nanoseconds(value_of(i)), stats.max);
      }
    }
    return std::chrono::nanoseconds(0);
  };
  stats.p50 = percentile(50);
  stats.p90 = percentile(90);
  stats.p99 = percentile(99);
  return stats;
}

void WaitHistogram::reset() noexcept {
  for (auto& count : counts_) count.store(0, std::memory_order_relaxed);
  total_.store(0, std::memory_order_relaxed);
  max_.store(0, std::memory_order_relaxed);
}

}  // namespace stoker
