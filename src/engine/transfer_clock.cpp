#include "src/engine/transfer_clock.hpp"

namespace stoker {

TransferClock::TransferClock(Device& device, EngineCounters& counters, std::size_t batches)
    : TransferClock(device, counters) {
  for (std::size_t i = 0; i < batches; ++i) {
    marks_.push_back(
        {device_.create_timed_event(), device_.create_timed_event(), device_.create_timed_event()});
  }
}

TransferClock::~TransferClock() {
  for (const Marks& marks : marks_) {
    for (const EventRef event : {marks.begin, marks.copied, marks.finished}) {
      device_.destroy_event(event);
    }
  }
}

void TransferClock::begin(StreamRef stream) {
  collect();
  timing_ = next_ - oldest_ < marks_.size();
  if (Marks* marks = current()) device_.record(marks->begin, stream);
}

void TransferClock::copied(StreamRef stream, std::size_t bytes) {
  Marks* marks = current();
  if (marks == nullptr) return;
  marks->bytes = bytes;
  device_.record(marks->copied, stream);
}

void TransferClock::finished(StreamRef stream) {
  Marks* marks = current();
  if (marks == nullptr) return;
  device_.record(marks->finished, stream);
  ++next_;
}

void TransferClock::collect() {
  for (; oldest_ != next_; ++oldest_) {
    const Marks& marks = marks_[oldest_ % marks_.size()];
    if (!device_.completed(marks.finished)) return;
    counters_.device_copy.add(device_.elapsed(marks.begin, marks.copied));
    counters_.device_finish.add(device_.elapsed(marks.copied, marks.finished));
    counters_.bytes_timed.add(marks.bytes);
    counters_.batches_timed.add();
  }
}

}  // namespace stoker
