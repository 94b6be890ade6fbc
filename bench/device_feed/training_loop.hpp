#pragma once

#include "bench/device_feed/cuda_handles.hpp"
#include <stoker/engine/loader.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace stoker::bench {

/// While it lives, its thread is inside the loader's calls: what counts calls asks for it.
class InsideLoader {
 public:
  InsideLoader() noexcept { inside_ = true; }
  ~InsideLoader() { inside_ = false; }
  InsideLoader(const InsideLoader&) = delete;
  InsideLoader& operator=(const InsideLoader&) = delete;

  static bool now() noexcept { return inside_; }

 private:
  static thread_local bool inside_;
};

/// What a round of steps took; the first ones, which fill the rings, are left out.
struct StepTimes {
  double step_seconds = 0;       ///< by the device's clock, from step to step
  std::vector<double> nexts;     ///< seconds of each `next`
  std::vector<double> releases;  ///< seconds of each batch's destruction
};

/// The steady state of a training loop: a batch, a kernel of a fixed length, the release; the host
/// runs at most two steps ahead of the device.
class TrainingLoop {
 public:
  static constexpr std::uint64_t settling_steps = 8;

  /// Steps on the calling thread's current device.
  explicit TrainingLoop(double kernel_milliseconds)
      : nanoseconds_(static_cast<std::uint64_t>(kernel_milliseconds * 1e6)) {}

  StreamRef stream() const noexcept { return stream_.ref(); }
  /// The kernel alone, more than `settling_steps` times.
  StepTimes run(std::uint64_t steps) const;
  /// A step for each batch of an epoch that has as many.
  StepTimes run(std::uint64_t steps, Epoch epoch) const;

 private:
  StepTimes run(std::uint64_t steps, Epoch* epoch) const;

  std::uint64_t nanoseconds_;
  ConsumerStream stream_;
  CudaEvent done_[2];  ///< of the last two steps
  CudaEvent begin_{CudaEvent::Timing::on}, end_{CudaEvent::Timing::on};
};

}  // namespace stoker::bench
