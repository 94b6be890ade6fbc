#pragma once

#include <stoker/device/simulated.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace stoker::testing {

enum class Fault : std::uint8_t {
  none,
  release_event_dropped,    // the copy stream does not wait for the consumer's events
  host_slot_free_at_issue,  // waiting for a copy returns at once
  arrival_noted_at_issue,   // a copy counts as completed at once
};

/// A simulated device that leaves out, of what the engine asks for, what the fault says. Consumers
/// use the simulated device itself, so all streams made here are the engine's.
class FaultyDevice final : public Device {
 public:
  FaultyDevice(std::shared_ptr<SimulatedDevice> device, Fault fault)
      : device_(std::move(device)), fault_(fault) {}

  StreamRef create_stream() override {
    const StreamRef stream = device_->create_stream();
    const std::lock_guard lock(mutex_);
    engine_streams_.insert(stream.handle);
    return stream;
  }
  void wait(StreamRef stream, EventRef event) override {
    const bool is_own = is_engines(stream);
    if (fault_ == Fault::release_event_dropped && is_own) return;
    if (!is_own) waits_of_others_.fetch_add(1);
    device_->wait(stream, event);
  }
  void record(EventRef event, StreamRef stream) override {
    device_->record(event, stream);
    if (!is_engines(stream)) return;
    const std::lock_guard lock(mutex_);
    if (timed_.contains(event.handle)) return;
    copy_marks_.insert(event.handle);
  }
  void synchronize(EventRef event) override {
    if (fault_ == Fault::host_slot_free_at_issue && marks_a_copy(event)) return;
    device_->synchronize(event);
  }

  DeviceId id() const override { return device_->id(); }
  bool zero_copy() const override { return device_->zero_copy(); }
  void* allocate_host(std::size_t bytes) override { return device_->allocate_host(bytes); }
  void free_host(void* memory, std::size_t bytes) noexcept override {
    device_->free_host(memory, bytes);
  }
  void* allocate_device(std::size_t bytes) override { return device_->allocate_device(bytes); }
  void free_device(void* memory, std::size_t bytes) noexcept override {
    device_->free_device(memory, bytes);
  }
  void destroy_stream(StreamRef stream) noexcept override { device_->destroy_stream(stream); }
  void finish(const FinishTask& task, StreamRef stream) override { device_->finish(task, stream); }
  void resize(const ResizeTask& task, StreamRef stream) override { device_->resize(task, stream); }
  EventRef create_event() override { return device_->create_event(); }
  EventRef create_timed_event() override {
    const EventRef event = device_->create_timed_event();
    const std::lock_guard lock(mutex_);
    timed_.insert(event.handle);
    return event;
  }
  void destroy_event(EventRef event) noexcept override { device_->destroy_event(event); }
  void copy_to_device(void* device, const void* host, std::size_t bytes,
                      StreamRef stream) override {
    device_->copy_to_device(device, host, bytes, stream);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    device_->copy_on_device(to, from, bytes, stream);
  }
  bool completed(EventRef event) override {
    if (!marks_a_copy(event)) return device_->completed(event);
    const bool arrived = fault_ == Fault::arrival_noted_at_issue || device_->completed(event);
    if (arrived) arrivals_.fetch_add(1);
    return arrived;
  }
  std::chrono::nanoseconds elapsed(EventRef from, EventRef to) override {
    return device_->elapsed(from, to);
  }
  void on_reuse(void* host, std::size_t bytes) override { device_->on_reuse(host, bytes); }

  /// How many copies the engine was told have completed.
  std::size_t arrivals() const { return arrivals_.load(); }
  /// How often streams that the engine did not make were told to wait.
  std::size_t waits_of_others() const { return waits_of_others_.load(); }

 private:
  bool is_engines(StreamRef stream) const {
    const std::lock_guard lock(mutex_);
    return engine_streams_.contains(stream.handle);
  }
  bool marks_a_copy(EventRef event) const {
    const std::lock_guard lock(mutex_);
    return copy_marks_.contains(event.handle);
  }

  std::shared_ptr<SimulatedDevice> device_;
  Fault fault_;
  std::atomic<std::size_t> waits_of_others_{0};
  std::atomic<std::size_t> arrivals_{0};
  mutable std::mutex mutex_;
  std::set<std::uintptr_t> engine_streams_;
  std::set<std::uintptr_t> copy_marks_;
  std::set<std::uintptr_t> timed_;
};

}  // namespace stoker::testing
