#include "src/device/simulated_state.hpp"

#include <cstdio>
#include <new>

namespace stoker {
namespace {

void print(const SimulatedReport& report) {
  if (!report.leaks.none())
    fmt::print(stderr, "simulated device: not given back: {}\n", report.leaks.text());
  for (const std::string& violation : report.violations)
    fmt::print(stderr, "simulated device: {}\n", violation);
}

SimulatedOptions checked(const SimulatedOptions& options) {
  if (!(options.progress >= 0 && options.progress < 1))
    throw Error(ErrorCode::invalid_argument,
                fmt::format("progress must lie in [0, 1), not {}", options.progress));
  if (options.copy_pieces == 0)
    throw Error(ErrorCode::invalid_argument, "copy_pieces must be at least 1");
  return options;
}

}  // namespace

SimulatedDevice::State::State(std::uint64_t seed, const SimulatedOptions& chosen)
    : options(checked(chosen)),
      memory(options.poison),
      streams(seed, {options.progress, options.copy_pieces, options.poison}),
      on_destruction(print) {}

void* SimulatedDevice::State::allocate(Space space, std::size_t bytes) {
  if (failing_allocation.fires())
    throw Error(ErrorCode::out_of_memory, fmt::format("no {} bytes (injected)", bytes));
  try {
    return memory.allocate(space, bytes);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, fmt::format("no {} bytes", bytes));
  }
}

void SimulatedDevice::State::free(Space space, void* block, std::size_t bytes) {
  if (block == nullptr) return;
  const auto held = lock();
  advance();
  report_use(block, bytes, "was freed");
  if (!memory.free(space, block, bytes))
    violations.push_back(fmt::format("freed what is no block of {} bytes", bytes));
  if (streams.idle()) memory.bury();
}

void SimulatedDevice::State::require_copyable(const void* device, const void* host,
                                              std::size_t bytes) {
  require(memory.contains(Space::device, device, bytes),
          fmt::format("a copy of {} bytes leaves its block of device memory", bytes));
  require(memory.contains(Space::host, host, bytes),
          fmt::format("a copy of {} bytes does not start from memory of allocate_host", bytes));
}

void SimulatedDevice::State::report_use(const void* block, std::size_t bytes,
                                        std::string_view happened) {
  if (const auto copy = streams.copy_using(block, bytes))
    violations.push_back(
        fmt::format("memory {} that a queued copy of {} bytes still uses", happened, copy->bytes));
}

}  // namespace stoker
