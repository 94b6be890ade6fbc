#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace stoker::bench {

/// Shows on stderr how far long work has come; silent where stderr is no terminal. Wiped away on
/// destruction. Used by one thread at a time.
class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Says what is being done now.
  void label(std::string text);
  /// Counts `amount` of the total as done; draws at most ten times a second.
  void advance(std::uint64_t amount);

 private:
  void draw();

  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::string label_;
  bool shown_;
  std::chrono::steady_clock::time_point next_draw_{};
};

}  // namespace stoker::bench
