#include "src/distributed/rank_list.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace stoker {
namespace {

constexpr std::size_t max_runs = 8;

std::string text_of(const Run& run) {
  if (run.first == run.last) return fmt::format("{}", run.first);
  return fmt::format("{}-{}", run.first, run.last);
}

}  // namespace

std::vector<Run> runs_of(const std::vector<std::uint64_t>& ascending) {
  std::vector<Run> runs;
  for (const std::uint64_t number : ascending) {
    if (!runs.empty() && runs.back().last + 1 == number)
      runs.back().last = number;
    else
      runs.push_back({number, number});
  }
  return runs;
}

std::vector<Run> gaps_of(const std::vector<std::uint64_t>& ascending, std::uint64_t end) {
  std::vector<Run> gaps;
  std::uint64_t next = 0;
  for (const std::uint64_t number : ascending) {
    if (number >= end) break;
    if (number > next) gaps.push_back({next, number - 1});
    next = number + 1;
  }
  if (next < end) gaps.push_back({next, end - 1});
  return gaps;
}

std::string text_of(const std::vector<Run>& runs) {
  std::string text;
  std::uint64_t left_out = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i >= max_runs)
      left_out += runs[i].last - runs[i].first + 1;
    else
      text += (i > 0 ? ", " : "") + text_of(runs[i]);
  }
  if (left_out > 0) text += fmt::format(" and {} more", left_out);
  return text;
}

std::string rank_list(const std::vector<std::uint64_t>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + text_of(runs_of(ranks));
}

}  // namespace stoker
