#include "bench/torch_training/step_clock.hpp"

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAStream.h>

#include <vector>

namespace stoker::bench {
namespace {

/// Events that note the time. Waiting for one sleeps, so that it takes no core from the workers.
class CudaStepClock : public StepClock {
 public:
  explicit CudaStepClock(torch::Device device) : device_(device) {}

  void begin() override { begins_.push_back(mark()); }
  void end() override { ends_.push_back(mark()); }
  void wait(std::size_t step) override { ends_.at(step).synchronize(); }
  RoundTimes times(std::size_t first) const override {
    RoundTimes times;
    times.total = seconds(ends_.at(first - 1), ends_.back());
    for (std::size_t i = first; i < ends_.size(); ++i) times.busy += seconds(begins_[i], ends_[i]);
    return times;
  }

 private:
  using Event = at::cuda::CUDAEvent;

  Event mark() const {
    Event event(cudaEventBlockingSync);
    event.record(c10::cuda::getCurrentCUDAStream(device_.index()));
    return event;
  }
  static double seconds(const Event& from, const Event& to) { return from.elapsed_time(to) * 1e-3; }

  torch::Device device_;
  std::vector<Event> begins_, ends_;
};

}  // namespace

std::unique_ptr<StepClock> cuda_step_clock(torch::Device device) {
  return std::make_unique<CudaStepClock>(device);
}

}  // namespace stoker::bench
