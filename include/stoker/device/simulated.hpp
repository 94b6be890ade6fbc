#pragma once

#include <stoker/device/device.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stoker {

/// How a simulated device behaves.
struct SimulatedOptions {
  /// Chance that a call lets one more step of queued work run, in [0, 1). 0 is as late as possible:
  /// nothing runs before somebody synchronizes.
  double progress = 0.5;
  /// A copy runs in so many steps, other streams' work between them. At least 1.
  std::size_t copy_pieces = 2;
  /// What untouched, reused and half-copied memory is filled with.
  std::uint8_t poison = 0xFB;
  /// Be a host instead (id() is the CPU's): no copies are needed, but reuse is poisoned and leaks
  /// are counted all the same.
  bool zero_copy = false;
  std::int32_t ordinal = 0;
};

/// When an injected failure of a copy shows.
enum class CopyFailure : std::uint8_t {
  when_queued,  ///< the call throws; the device goes on
  when_run,     ///< the copy is not done, and every later call that can throw does, as with CUDA
};

/// What was made and not given back.
struct SimulatedLeaks {
  std::size_t host_blocks = 0;
  std::size_t device_blocks = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  friend bool operator==(const SimulatedLeaks&, const SimulatedLeaks&) = default;
  bool none() const noexcept { return *this == SimulatedLeaks{}; }
  /// "2 device blocks, 1 event", or "nothing".
  std::string text() const;
};

/// What a device saw of how it was used; handed over when it is destroyed.
struct SimulatedReport {
  SimulatedLeaks leaks;
  std::vector<std::string> violations;
};

/// A device whose streams run late and out of step on purpose, to prove an order of work and not to
/// compute. Device memory is host memory that only kernels may look at.
///
/// Work is queued. Each call lets a seeded random number of steps run (often none), of randomly
/// picked streams; `synchronize` runs steps until its mark is reached, half of the times only those
/// that the mark needs. So work happens late, a copy reads host memory when it runs and not when it
/// is queued, and a missing event shows as wrong data. There is no clock and no thread: the same
/// seed and the same calls in the same order give the same run.
///
/// Poison: all memory when it is allocated and freed, host memory in `on_reuse`, and the whole
/// destination of a copy when the copy starts. Freed memory stays there, poisoned, while work is
/// queued.
///
/// Marks are CUDA's: `wait` and `synchronize` mean the event's latest record at the time of the
/// call, recording again leaves earlier waits alone, a never recorded event is completed. Stream
/// {0} is the default stream and waits for no other. Unlike CUDA's, freeing memory waits for
/// nothing.
///
/// Any thread may call any member; queued work runs on whatever thread calls, one step at a time.
class SimulatedDevice final : public Device {
 public:
  /// @throws Error(invalid_argument) for options out of range.
  explicit SimulatedDevice(std::uint64_t seed, SimulatedOptions options = {});
  /// Drops queued work and calls what `on_destruction` was given; without, leaks and violations are
  /// written to stderr.
  ~SimulatedDevice() override;

  DeviceId id() const override;
  bool zero_copy() const override;
  void* allocate_host(std::size_t bytes) override;
  void free_host(void* memory, std::size_t bytes) noexcept override;
  void* allocate_device(std::size_t bytes) override;
  void free_device(void* memory, std::size_t bytes) noexcept override;
  StreamRef create_stream() override;
  void destroy_stream(StreamRef stream) noexcept override;
  EventRef create_event() override;
  EventRef create_timed_event() override;
  void destroy_event(EventRef event) noexcept override;
  void copy_to_device(void* device, const void* host, std::size_t bytes, StreamRef stream) override;
  void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override;
  void finish(const FinishTask& task, StreamRef stream) override;
  void resize(const ResizeTask& task, StreamRef stream) override;
  void record(EventRef event, StreamRef stream) override;
  void wait(StreamRef stream, EventRef event) override;
  bool completed(EventRef event) override;
  /// A nanosecond for each step of work that ran in between.
  std::chrono::nanoseconds elapsed(EventRef from, EventRef to) override;
  void synchronize(EventRef event) override;
  void on_reuse(void* host, std::size_t bytes) override;

  /// Queues a kernel: a callable that may read and write device memory when it runs. It must not
  /// call the device (Error(device_error), or termination from a noexcept member). What it throws
  /// fails the device as CopyFailure::when_run does.
  void launch(StreamRef stream, std::function<void()> kernel);
  /// Runs all queued work. @throws Error(device_error) if some of it failed.
  void synchronize();

  /// Stops all work, as a device that is busy with something else: synchronize and destroy_stream
  /// block until `resume`.
  void pause();
  void resume();

  /// Makes the n-th allocation from now (1 is the next one) throw Error(out_of_memory).
  void fail_allocation(std::uint64_t n);
  /// Makes the n-th copy from now (1 is the next one), to the device or on it, fail.
  void fail_copy(std::uint64_t n, CopyFailure when = CopyFailure::when_queued);

  SimulatedLeaks leaks() const;
  /// Uses that are wrong whatever order the work ran in, one line each: memory freed or reused
  /// under a queued copy, things freed twice or not this device's.
  std::vector<std::string> violations() const;
  /// Sets what the destructor hands its report to.
  void on_destruction(std::function<void(const SimulatedReport&)> callback);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes a simulated device.
std::shared_ptr<SimulatedDevice> simulated(std::uint64_t seed, SimulatedOptions options = {});

}  // namespace stoker
