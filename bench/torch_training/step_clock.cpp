#include "bench/torch_training/step_clock.hpp"

#include <chrono>
#include <vector>

namespace stoker::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// On the CPU a step is done when it has been called.
class CpuStepClock : public StepClock {
 public:
  void begin() override { begins_.push_back(Clock::now()); }
  void end() override { ends_.push_back(Clock::now()); }
  void wait(std::size_t) override {}
  RoundTimes times(std::size_t first) const override {
    RoundTimes times;
    times.total = seconds(ends_.at(first - 1), ends_.back());
    for (std::size_t i = first; i < ends_.size(); ++i) times.busy += seconds(begins_[i], ends_[i]);
    return times;
  }

 private:
  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  std::vector<Clock::time_point> begins_, ends_;
};

}  // namespace

std::unique_ptr<StepClock> step_clock(torch::Device device) {
  if (device.is_cuda()) return cuda_step_clock(device);
  return std::make_unique<CpuStepClock>();
}

}  // namespace stoker::bench
