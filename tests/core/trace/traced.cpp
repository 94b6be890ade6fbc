// Goes through ranges of every stage, nested and on several threads; traced <times>
#include "src/core/trace_range.hpp"

#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using stoker::TraceRange;
using stoker::TraceStage;

void trace_worker(std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    const TraceRange outer(TraceStage::read, i);
    const TraceRange inner(TraceStage::produce);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto times = static_cast<std::uint64_t>(count > 1 ? std::atoll(arguments[1]) : 1);
  std::vector<std::thread> threads(3);
  for (std::thread& thread : threads) thread = std::thread(trace_worker, times);
  for (std::uint64_t i = 0; i < times; ++i) {
    const TraceRange next(TraceStage::next, 100 + i);
    { const TraceRange schedule(TraceStage::schedule, 200 + i); }
    { const TraceRange copy(TraceStage::copy, 300 + i); }
  }
  for (std::thread& thread : threads) thread.join();
}
