#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace examples {
namespace {

constexpr std::uint64_t width = 30;
constexpr std::chrono::milliseconds interval{100};

std::string with_one_decimal(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << value;
  return text.str();
}

}  // namespace

Progress::Progress(std::string label, std::uint64_t steps, Now now, std::string unit)
    : label_(std::move(label)),
      steps_(std::max<std::uint64_t>(steps, 1)),
      now_(std::move(now)),
      unit_(std::move(unit)),
      shown_(::isatty(STDERR_FILENO) == 1),
      start_(now_()),
      next_draw_(start_) {}

Progress::~Progress() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::advance(std::int64_t images) {
  ++done_;
  images_ += images;
  const auto now = now_();
  if (!shown_ || now < next_draw_) return;
  next_draw_ = now + interval;
  std::cerr << "\r\x1b[K" << line() << std::flush;
}

double Progress::seconds() const {
  // Not zero, so that rates are finite.
  return std::max(std::chrono::duration<double>(now_() - start_).count(), 1e-9);
}

double Progress::images_per_second() const { return static_cast<double>(images_) / seconds(); }

double Progress::starvation() const {
  return std::chrono::duration<double>(waited_).count() / seconds();
}

std::string Progress::figures() const {
  return with_one_decimal(images_per_second()) + ' ' + unit_ + "/s, starvation " +
         with_one_decimal(starvation() * 100) + " %";
}

std::string Progress::summary() const {
  return label_ + ": " + std::to_string(done_) + " steps, " + figures();
}

std::string Progress::line() const {
  const std::uint64_t done = std::min(done_, steps_);
  const std::uint64_t filled = done * width / steps_;
  return '[' + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
         std::to_string(done * 100 / steps_) + "% " + label_ + ": " + figures();
}

}  // namespace examples
