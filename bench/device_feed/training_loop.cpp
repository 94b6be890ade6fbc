#include "bench/device_feed/training_loop.hpp"

#include "bench/spin_kernel.hpp"

#include <stdexcept>

namespace stoker::bench {
namespace {

/// Runs work inside the loader and notes how long it took, where that counts.
template <class Work>
void time_inside(bool counts, std::vector<double>& times, Work work) {
  if (!counts) return work();
  const auto start = Clock::now();
  {
    const InsideLoader inside;
    work();
  }
  times.push_back(seconds_since(start));
}

}  // namespace

constinit thread_local bool InsideLoader::inside_ = false;

StepTimes TrainingLoop::run(std::uint64_t steps) const { return run(steps, nullptr); }

StepTimes TrainingLoop::run(std::uint64_t steps, Epoch epoch) const { return run(steps, &epoch); }

StepTimes TrainingLoop::run(std::uint64_t steps, Epoch* epoch) const {
  StepTimes times;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const bool counts = i >= settling_steps;
    if (i >= 2) done_[i % 2].synchronize();
    std::optional<Batch> batch;
    if (epoch != nullptr) {
      time_inside(counts, times.nexts, [&] { batch = epoch->next(); });
      if (!batch) throw std::runtime_error("the epoch has fewer batches than the loop has steps");
    }
    launch_spin(stream_.get(), nanoseconds_);
    done_[i % 2].record(stream_.get());
    if (i + 1 == settling_steps) begin_.record(stream_.get());
    if (epoch != nullptr) time_inside(counts, times.releases, [&] { batch.reset(); });
  }
  end_.record(stream_.get());
  end_.synchronize();
  times.step_seconds = begin_.seconds_to(end_) / static_cast<double>(steps - settling_steps);
  return times;
}

}  // namespace stoker::bench
