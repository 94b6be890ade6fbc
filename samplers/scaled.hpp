#pragma once

#include <cstdint>

namespace stoker {

/// Maps a uniform 64-bit number to [0, bound): the upper half of their product. Its bias, at most
/// bound / 2^64 for each value, is far below what any run could notice.
/// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
constexpr std::uint64_t scaled(std::uint64_t number, std::uint64_t bound) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{number} * bound) >> 64);
}

}  // namespace stoker
