#include "bench/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace stoker::bench {
namespace {

constexpr std::uint64_t width = 30;
constexpr std::chrono::milliseconds interval{100};

}  // namespace

ProgressBar::ProgressBar(std::uint64_t total)
    : total_(std::max<std::uint64_t>(total, 1)), shown_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::label(std::string text) {
  label_ = std::move(text);
  if (shown_) draw();
}

void ProgressBar::advance(std::uint64_t amount) {
  done_ += amount;
  if (shown_ && std::chrono::steady_clock::now() >= next_draw_) draw();
}

void ProgressBar::draw() {
  next_draw_ = std::chrono::steady_clock::now() + interval;
  const std::uint64_t filled = std::min(done_, total_) * width / total_;
  fmt::print(stderr, "\r\x1b[K[{:#<{}}{:.<{}}] {:3}% {}", "", filled, "", width - filled,
             std::min(done_, total_) * 100 / total_, label_);
  std::fflush(stderr);
}

}  // namespace stoker::bench
