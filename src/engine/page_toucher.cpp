#include "src/engine/page_toucher.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace stoker {
namespace {

/// How long workers may take to begin: long against waking them, short for who makes a loader.
constexpr std::chrono::milliseconds patience{100};
/// Parts that are handed to the workers: more would wait for room in their queue.
constexpr std::size_t most_handed_out = 1024;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

void PageToucher::add(std::byte* memory, std::size_t bytes) {
  const std::size_t page = page_bytes();
  const auto workers = static_cast<std::size_t>(executor_.num_workers());
  const std::size_t length = (bytes / workers + page) / page * page;
  for (std::size_t begin = 0; begin < bytes; begin += length) {
    Part& part = parts_.emplace_back();
    part.toucher = this;
    part.memory = memory + begin;
    part.bytes = std::min(length, bytes - begin);
    left_.fetch_add(1, std::memory_order_relaxed);
    if (parts_.size() > most_handed_out) continue;
    queued_.started();
    executor_.submit(part);
  }
}

void PageToucher::finish() {
  const auto none_left = [this] { return left_.load(std::memory_order_acquire) == 0; };
  for (std::size_t i = most_handed_out; i < parts_.size(); ++i) parts_[i].touch();
  touched_.wait(none_left, std::chrono::steady_clock::now() + patience);
  for (Part& part : parts_) part.touch();
  touched_.wait(none_left);
}

/// The toucher may be gone behind `finished`, and the part with it.
void PageToucher::Part::run() noexcept {
  if (touch()) toucher->touched_.notify_all();
  toucher->queued_.finished();
}

/// Touches the pages unless somebody else does.
bool PageToucher::Part::touch() noexcept {
  if (taken.exchange(true, std::memory_order_relaxed)) return false;
  const std::size_t page = page_bytes();
  for (std::size_t at = 0; at < bytes; at += page) memory[at] = std::byte{0};
  toucher->left_.fetch_sub(1, std::memory_order_release);
  return true;
}

}  // namespace stoker
