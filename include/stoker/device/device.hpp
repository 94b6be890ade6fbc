#pragma once

#include <stoker/core/tensor_view.hpp>
#include <stoker/device/finish_task.hpp>
#include <stoker/device/resize_task.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace stoker {

/// Names a stream of a device: work queued on it runs in order. The default one is the device's
/// default stream. Does not own.
struct StreamRef {
  std::uintptr_t handle = 0;
  friend bool operator==(StreamRef, StreamRef) = default;
};

/// Names an event of a device: a mark in a stream that others can wait for. Does not own.
struct EventRef {
  std::uintptr_t handle = 0;
  friend bool operator==(EventRef, EventRef) = default;
};

/// What the engine needs of a device, and no more: memory, streams, events and copies. Implemented
/// for the host (no device: the batch stays where it was written), for a simulated asynchronous
/// device (tests) and for CUDA. All members may be called by many threads at the same time
/// and throw Error(device_error) or Error(out_of_memory).
class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceId id() const = 0;

  /// True where batches are used where the workers wrote them: no copies, no streams, no events.
  virtual bool zero_copy() const = 0;

  /// The NUMA node that the device hangs on; nothing where the system does not tell.
  virtual std::optional<int> numa_node() const { return std::nullopt; }

  /// Allocates host memory that copies can start from (pinned where there is a device); 256-byte
  /// aligned. The caller frees it.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void free_host(void* memory, std::size_t bytes) noexcept = 0;
  /// Allocates device memory, 256-byte aligned.
  virtual void* allocate_device(std::size_t bytes) = 0;
  virtual void free_device(void* memory, std::size_t bytes) noexcept = 0;

  virtual StreamRef create_stream() = 0;
  /// Returns once the stream's queued work is done.
  virtual void destroy_stream(StreamRef stream) noexcept = 0;
  virtual EventRef create_event() = 0;
  /// Creates an event that notes the device's time when its mark is reached.
  virtual EventRef create_timed_event() = 0;
  virtual void destroy_event(EventRef event) noexcept = 0;

  /// Queues a copy from host to device memory; returns at once. Both must stay valid until an event
  /// recorded behind it has completed.
  virtual void copy_to_device(void* device, const void* host, std::size_t bytes,
                              StreamRef stream) = 0;
  /// Queues a copy within device memory; returns at once.
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) = 0;
  /// Queues a batch's finish; returns at once. Its memory must stay valid as a copy's does.
  virtual void finish(const FinishTask& task, StreamRef stream) = 0;
  /// Queues a batch's resize and finish; returns at once. Its memory must stay valid as a copy's.
  virtual void resize(const ResizeTask& task, StreamRef stream) = 0;
  /// Marks the stream's present end with the event, which forgets an earlier mark.
  virtual void record(EventRef event, StreamRef stream) = 0;
  /// Lets later work of the stream wait for the event's present mark; never blocks the host. An
  /// event that was never recorded counts as completed.
  virtual void wait(StreamRef stream, EventRef event) = 0;
  /// Returns whether the event's mark was reached.
  virtual bool completed(EventRef event) = 0;
  /// Returns the device's time from one timed event's mark to another's; both must be completed.
  virtual std::chrono::nanoseconds elapsed(EventRef from, EventRef to) = 0;
  /// Blocks the calling thread until the event's mark is reached.
  virtual void synchronize(EventRef event) = 0;

  /// Is called by the engine before host memory of a slot is given to workers again. The simulated
  /// device fills it with poison; others do nothing. Device slots need no call: a copy to them is
  /// what overwrites them.
  virtual void on_reuse([[maybe_unused]] void* host, [[maybe_unused]] std::size_t bytes) {}
};

using DevicePtr = std::shared_ptr<Device>;

/// Returns the host as a device: zero-copy, ordinary page-aligned memory that is zero at first and
/// lies on the NUMA node of the thread that first writes it. Work is done when a call returns, so
/// every event is completed. The same object every time.
DevicePtr host();

}  // namespace stoker
