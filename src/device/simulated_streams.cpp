#include "src/device/simulated_streams.hpp"

#include "src/device/simulated_memory.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace stoker {
namespace {

// Streams fall asleep and wake up between phases of at most so many calls.
constexpr std::uint64_t longest_phase = 32;

bool overlap(const std::byte* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  return address(a) < address(b) + b_bytes && address(b) < address(a) + a_bytes;
}

}  // namespace

SimulatedStreams::SimulatedStreams(std::uint64_t seed, Policy policy)
    : policy_(policy), random_(RandomKey{.seed = seed}, 0) {
  streams_.try_emplace(0);
}

StreamRef SimulatedStreams::create() {
  streams_.try_emplace(++last_handle_);
  return {last_handle_};
}

void SimulatedStreams::launch(StreamRef stream, Kernel kernel) {
  at(stream).queue.emplace_back(std::move(kernel));
}

void SimulatedStreams::copy(StreamRef stream, SimulatedCopy copy) {
  at(stream).queue.emplace_back(copy);
}

MarkPtr SimulatedStreams::mark(StreamRef stream) {
  auto mark = std::make_shared<SimulatedMark>(SimulatedMark{stream});
  at(stream).queue.emplace_back(Reach{mark});
  return mark;
}

std::vector<MarkPtr> SimulatedStreams::mark_all() {
  std::vector<MarkPtr> marks;
  for (const auto& [handle, stream] : streams_) marks.push_back(mark({handle}));
  return marks;
}

void SimulatedStreams::wait(StreamRef stream, MarkPtr mark) {
  at(stream).queue.emplace_back(Wait{std::move(mark)});
}

void SimulatedStreams::advance() {
  if (calls_left_in_phase_ == 0) begin_phase();
  --calls_left_in_phase_;
  while (random_.bernoulli(policy_.progress)) {
    const auto streams = runnable_streams(true);
    if (streams.empty()) return;
    step(*streams[random_.below(streams.size())]);
  }
}

void SimulatedStreams::begin_phase() {
  calls_left_in_phase_ = 1 + random_.below(longest_phase);
  for (auto& [handle, stream] : streams_) stream.asleep = random_.bernoulli(0.5);
}

void SimulatedStreams::reach(const SimulatedMark& mark) {
  const bool only_needed = random_.bernoulli(0.5);
  while (!mark.reached) {
    if (only_needed) {
      step(needed_by(mark));
    } else {
      const auto streams = runnable_streams(false);
      step(*streams[random_.below(streams.size())]);
    }
  }
}

bool SimulatedStreams::runnable(const Stream& stream) {
  if (stream.queue.empty()) return false;
  const Wait* wait = std::get_if<Wait>(&stream.queue.front());
  return wait == nullptr || wait->mark->reached;
}

std::vector<SimulatedStreams::Stream*> SimulatedStreams::runnable_streams(bool awake_only) {
  std::vector<Stream*> found;
  for (auto& [handle, stream] : streams_)
    if (runnable(stream) && !(awake_only && stream.asleep)) found.push_back(&stream);
  return found;
}

// A stream waits only for marks that were queued before the wait was, so this ends, and some stream
// can always run.
SimulatedStreams::Stream& SimulatedStreams::needed_by(const SimulatedMark& mark) {
  Stream* stream = &at(mark.stream);
  while (!runnable(*stream)) stream = &at(std::get<Wait>(stream->queue.front()).mark->stream);
  return *stream;
}

void SimulatedStreams::step(Stream& stream) {
  Work& work = stream.queue.front();
  ++steps_;
  if (std::visit([this](auto& next) { return step(next); }, work)) stream.queue.pop_front();
}

bool SimulatedStreams::step(Kernel& kernel) {
  if (!failure_.empty()) return true;
  try {
    kernel();
  } catch (const std::exception& error) {
    failure_ = std::string("a kernel threw: ") + error.what();
  } catch (...) {
    failure_ = "a kernel threw something that is no std::exception";
  }
  return true;
}

bool SimulatedStreams::step(SimulatedCopy& copy) {
  if (copy.fails && failure_.empty()) failure_ = "a copy failed (injected)";
  if (!failure_.empty()) return true;
  if (!std::exchange(copy.started, true)) {
    if (copy.bytes != 0) std::memset(copy.device, policy_.poison, copy.bytes);
    return copy.bytes == 0;
  }
  const std::size_t piece = (copy.bytes + policy_.copy_pieces - 1) / policy_.copy_pieces;
  const std::size_t bytes = std::min(piece, copy.bytes - copy.done);
  std::memcpy(copy.device + copy.done, copy.host + copy.done, bytes);
  copy.done += bytes;
  return copy.done == copy.bytes;
}

bool SimulatedStreams::step(Reach& reach) {
  reach.mark->reached = true;
  reach.mark->step = steps_;
  return true;
}

bool SimulatedStreams::step(Wait&) { return true; }

bool SimulatedStreams::idle() const {
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const auto& entry) { return entry.second.queue.empty(); });
}

std::optional<SimulatedCopy> SimulatedStreams::copy_using(const void* memory,
                                                          std::size_t bytes) const {
  for (const auto& [handle, stream] : streams_)
    for (const Work& work : stream.queue)
      if (const auto* copy = std::get_if<SimulatedCopy>(&work))
        if (overlap(copy->device, copy->bytes, memory, bytes) ||
            overlap(copy->host, copy->bytes, memory, bytes))
          return *copy;
  return std::nullopt;
}

}  // namespace stoker
