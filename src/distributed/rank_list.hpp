#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

/// Consecutive numbers, both ends included.
struct Run {
  std::uint64_t first;
  std::uint64_t last;
};

/// Gathers ascending numbers into runs.
std::vector<Run> runs_of(const std::vector<std::uint64_t>& ascending);
/// Returns the runs of [0, end) that `ascending` leaves out.
std::vector<Run> gaps_of(const std::vector<std::uint64_t>& ascending, std::uint64_t end);
/// Writes runs, e.g. "0-1, 3"; of many the first few and how many numbers follow.
std::string text_of(const std::vector<Run>& runs);
/// Writes ascending ranks, e.g. "rank 2" or "ranks 0-1, 3".
std::string rank_list(const std::vector<std::uint64_t>& ranks);

}  // namespace stoker
