#pragma once

#include <torch/types.h>

#include <cstddef>
#include <memory>

namespace stoker::bench {

/// Times of a round of steps by the device's own clock.
struct RoundTimes {
  double total = 0;  ///< seconds from one step's end to another's
  double busy =
      0;  ///< the part in which steps ran; the rest is waiting for batches, copies included
};

/// Marks where steps begin and end on the device's current stream, without waiting for it.
class StepClock {
 public:
  StepClock() = default;
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;
  virtual ~StepClock() = default;

  /// A step's work begins: to be called once its batch is there, before the first kernel.
  virtual void begin() = 0;
  /// All work of the step that began last is queued.
  virtual void end() = 0;
  /// Blocks until the work of step number `step`, from 0, is done.
  virtual void wait(std::size_t step) = 0;
  /// The times of steps from number `first`, at least 1, to the last one, which must be done.
  virtual RoundTimes times(std::size_t first) const = 0;
};

/// A clock for the CPU or, where this LibTorch has CUDA, for a CUDA device.
std::unique_ptr<StepClock> step_clock(torch::Device device);

/// The clock of a CUDA device. @throws Error(unsupported) where this LibTorch has no CUDA.
std::unique_ptr<StepClock> cuda_step_clock(torch::Device device);

}  // namespace stoker::bench
