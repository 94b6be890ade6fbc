#pragma once

#include <stoker/engine/stats.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace stoker {

/// Counts durations in buckets that are at most 1/32 wide of their value. Written by one thread,
/// read by any; allocates nothing.
class WaitHistogram {
 public:
  void add(std::chrono::nanoseconds duration) noexcept;
  WaitStats stats() const noexcept;
  void reset() noexcept;

 private:
  static constexpr int sub_bits = 5;
  static constexpr std::size_t sub_buckets = std::size_t{1} << sub_bits;
  static constexpr std::size_t buckets = (64 - sub_bits) * sub_buckets + sub_buckets;

  static std::size_t bucket_of(std::uint64_t nanoseconds) noexcept;
  static std::uint64_t value_of(std::size_t bucket) noexcept;

  std::array<std::atomic<std::uint64_t>, buckets> counts_{};
  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> max_{0};
};

}  // namespace stoker
