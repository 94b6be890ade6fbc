#pragma once

#include "src/device/simulated_memory.hpp"
#include "src/device/simulated_streams.hpp"
#include <stoker/core/error.hpp>
#include <stoker/device/simulated.hpp>

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace stoker {

/// @throws Error(device_error) with the message unless it holds.
inline void require(bool holds, const std::string& message) {
  if (!holds) throw Error(ErrorCode::device_error, message);
}

/// Fires once, at the call that it was armed for.
class Countdown {
 public:
  void arm(std::uint64_t calls) { left_ = calls; }
  bool fires() { return left_ != 0 && --left_ == 0; }

 private:
  std::uint64_t left_ = 0;
};

/// A simulated device's insides, all of them under one lock.
struct SimulatedDevice::State {
  using Space = SimulatedMemory::Space;

  State(std::uint64_t seed, const SimulatedOptions& chosen);

  // Takes the lock; refuses kernels, which already run under it.
  std::unique_lock<std::mutex> lock() {
    require(worker.load() != std::this_thread::get_id(), "a kernel must not call its device");
    return std::unique_lock(mutex);
  }
  // Runs queued work on this thread, by a member of `streams`.
  template <class Run>
  void drive(Run run) {
    worker = std::this_thread::get_id();
    run();
    worker = std::thread::id{};
    if (streams.idle()) memory.bury();
  }
  void advance() {
    if (!paused) drive([this] { streams.advance(); });
  }
  void reach(std::unique_lock<std::mutex>& held, const SimulatedMark& mark) {
    resumed.wait(held, [&] { return !paused || mark.reached; });
    drive([&] { streams.reach(mark); });
  }
  // What every call that queues work begins with.
  std::unique_lock<std::mutex> begin() {
    auto held = lock();
    advance();
    require_health();
    return held;
  }
  void require_health() const { require(streams.failure().empty(), streams.failure()); }
  void require_stream(StreamRef stream) const {
    require(streams.contains(stream), fmt::format("there is no stream {}", stream.handle));
  }
  MarkPtr& mark_of(EventRef event) {
    const auto found = events.find(event.handle);
    require(found != events.end(), fmt::format("there is no event {}", event.handle));
    return found->second;
  }

  // Whether the copy that is queued now is to fail when it runs; throws where it is to be refused.
  bool next_copy_fails() {
    const bool fails = failing_copy.fires();
    require(!fails || copy_failure == CopyFailure::when_run, "a copy was refused (injected)");
    return fails;
  }

  const SimulatedMark& timed_mark(EventRef event) {
    const MarkPtr& mark = mark_of(event);
    require(timed_events.contains(event.handle),
            fmt::format("event {} notes no time", event.handle));
    require(mark != nullptr && mark->reached,
            fmt::format("event {} has not completed", event.handle));
    return *mark;
  }

  void* allocate(Space space, std::size_t bytes);
  void free(Space space, void* block, std::size_t bytes);
  void require_copyable(const void* device, const void* host, std::size_t bytes);
  void report_use(const void* block, std::size_t bytes, std::string_view happened);
  SimulatedLeaks leaks() const {
    return {memory.count(Space::host), memory.count(Space::device), streams.count(), events.size()};
  }

  const SimulatedOptions options;
  std::mutex mutex;
  std::condition_variable resumed;
  std::atomic<std::thread::id> worker{};  // runs work now
  bool paused = false;
  SimulatedMemory memory;
  SimulatedStreams streams;
  std::map<std::uintptr_t, MarkPtr> events;  // nullptr: never recorded
  std::set<std::uintptr_t> timed_events;
  std::uintptr_t last_event = 0;
  Countdown failing_allocation;
  Countdown failing_copy;
  CopyFailure copy_failure{};
  std::vector<std::string> violations;
  std::function<void(const SimulatedReport&)> on_destruction;
};

}  // namespace stoker
