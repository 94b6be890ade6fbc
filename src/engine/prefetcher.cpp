#include "src/engine/prefetcher.hpp"

#include "src/core/trace_range.hpp"
#include "src/engine/thread_affinity.hpp"

#include <utility>

namespace stoker {

Prefetcher::Prefetcher(const Parameters& parameters)
    : p_(parameters),
      stream_(p_.host.device().create_stream()),
      clock_(p_.host.device(), p_.counters, p_.device_slots + p_.host.size()),
      ready_(p_.device_slots + 8) {
  if (!p_.threaded) return;
  thread_ = std::thread([this] {
    begin_thread("stoker-copy", p_.processors);
    copy_batches();
  });
}

Prefetcher::~Prefetcher() {
  close();
  if (thread_.joinable()) thread_.join();
  while (!in_flight_.empty()) free_oldest();
  p_.host.device().destroy_stream(stream_);
}

void Prefetcher::close() noexcept {
  p_.device.close();
  ready_.close();
}

void Prefetcher::copy_batches() {
  copy_until_closed();
  ready_.close();  // whoever waits for a batch would wait in vain
}

void Prefetcher::copy_until_closed() {
  while (Slot* full = next_full()) {
    Slot* target = take_target();
    if (target == nullptr) return;
    transfer(*full, *target);
  }
}

/// While a batch is not complete there is time to wait for copies, so that host slots are free
/// again.
Slot* Prefetcher::next_full() {
  for (;;) {
    if (Slot* full = p_.upstream.try_next()) return full;
    if (!has_work_to_see_done()) break;
    see_one_done();
  }
  const Timer timer;
  Slot* full = p_.upstream.next({});
  p_.counters.copy.blocked_on_input.add(timer.elapsed());
  return full;
}

/// The same while the consumer has all device slots.
Slot* Prefetcher::take_target() {
  for (;;) {
    if (Slot* target = p_.device.try_take()) return target;
    if (!has_work_to_see_done()) break;
    see_one_done();
  }
  const Timer timer;
  Slot* target = p_.device.take();
  p_.counters.copy.blocked_on_output.add(timer.elapsed());
  return target;
}

void Prefetcher::transfer(Slot& full, Slot& target) {
  const TraceRange range(TraceStage::copy, full.info.number);
  const Timer timer;
  full.state.move(SlotState::full, SlotState::copying);
  target.state.move(SlotState::free, SlotState::copying);
  std::swap(full.info, target.info);
  target.arrived.store(false, std::memory_order_relaxed);
  ++target.copies;
  if (!target.info.failure) copy(full, target);
  in_flight_.push_back(&full);
  target.state.move(SlotState::copying, SlotState::ready);
  p_.counters.copy.busy.add(timer.elapsed());
  p_.counters.copy.items.add();
  ready_.push(&target);
}

void Prefetcher::copy(Slot& from, Slot& to) {
  try {
    if (device_failure_) throw *std::exchange(device_failure_, std::nullopt);
    issue(from, to);
  } catch (const Error& error) {
    to.info.failure.emplace(error.code(), error.message(),
                            SampleContext{std::nullopt, "", to.info.epoch, to.info.number});
  }
}

void Prefetcher::issue(Slot& from, Slot& to) {
  Device& device = p_.host.device();
  for (std::size_t i = 0; i < to.used_count; ++i) device.wait(stream_, to.used[i]);
  to.used_count = 0;
  clock_.begin(stream_);
  const std::size_t bytes = p_.transfer.copy(from, to, to.info.count, stream_);
  device.record(from.copied, stream_);
  clock_.copied(stream_, bytes);
  p_.transfer.finish(to, to.info.count, stream_);
  clock_.finished(stream_);
  device.record(to.copied, stream_);
  p_.counters.bytes_copied.add(bytes);
  // A grown slot may be gone by the time its copy is done.
  if (!to.grown) arriving_.push_back({&to, to.copies});
}

/// Waits for the oldest copy, whose host slot is then free, or for what the device does behind it.
void Prefetcher::see_one_done() {
  if (!in_flight_.empty()) return free_oldest();
  const Arrival arrival = arriving_.front();
  try {
    if (!arrival.superseded()) p_.host.device().synchronize(arrival.slot->copied);
    note_arrivals();
  } catch (const Error& error) {
    device_failure_ = error;
    arriving_.clear();
  }
}

void Prefetcher::free_oldest() {
  Slot& slot = *in_flight_.front();
  in_flight_.pop_front();
  try {
    p_.host.device().synchronize(slot.copied);
    clock_.collect();
    note_arrivals();
  } catch (const Error& error) {
    device_failure_ = error;  // this batch is with the consumer already: the next one reports it
    arriving_.clear();
  }
  slot.state.move(SlotState::copying, SlotState::free);
  p_.host.put(slot);
}

/// What the consumer finds marked it need not let its stream wait for: that costs it more than all
/// the rest of taking a batch.
void Prefetcher::note_arrivals() {
  for (; !arriving_.empty(); arriving_.pop_front()) {
    const Arrival& arrival = arriving_.front();
    if (arrival.superseded()) continue;
    if (!p_.host.device().completed(arrival.slot->copied)) return;
    arrival.slot->arrived.store(true, std::memory_order_release);
  }
}

Slot* Prefetcher::try_next() {
  if (!p_.threaded) {
    Slot* target = p_.device.try_take();
    if (target == nullptr) return nullptr;
    Slot* full = p_.upstream.try_next();
    if (full == nullptr) {
      p_.device.put(*target);
      return nullptr;
    }
    transfer(*full, *target);
    while (has_work_to_see_done()) see_one_done();
  }
  return ready_.try_pop().value_or(nullptr);
}

Slot* Prefetcher::next(Deadline deadline) {
  return p_.threaded ? ready_.pop(deadline).value_or(nullptr) : try_next();
}

}  // namespace stoker
