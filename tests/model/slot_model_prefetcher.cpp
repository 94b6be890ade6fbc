// The prefetcher's steps: prefetcher.cpp.
#include "tests/model/slot_model.hpp"

#include <utility>

namespace stoker::model {

bool SlotModel::prefetch(State& s, Thread& t) {
  switch (t.next) {
    case Next::synchronize: return synchronize(s, t);
    case Next::take_target:
      if (take_or_sleep(s, t, WaitAt::free_device, t.second)) t.next = Next::transfer;
      return true;
    case Next::transfer: transfer(s, t); return true;
    default: return collect(s, t);
  }
}

bool SlotModel::synchronize(State& s, Thread& t) {
  const Small slot = s.in_flight.items[0];
  const bool copied = s.unreached[event_of(Event::host_copied, slot)] == 0;
  if (!copied && !has(Fault::host_slot_free_at_issue)) return false;
  s.in_flight.take();
  say(copied ? "sees the copy done, frees host slot" : "frees, with its copy queued, host slot",
      slot, s.host[slot].tag);
  move(s.host[slot].state, SlotState::copying, SlotState::free);
  hand(s, t, WaitAt::free_host, slot);
  begin_collecting(t, false);
  return true;
}

void SlotModel::transfer(State& s, Thread& t) {
  const Small from = t.slot;
  const Small to = t.second;
  HostSlot& full = s.host[from];
  DeviceSlot& target = s.device[to];
  move(full.state, SlotState::full, SlotState::copying);
  move(target.state, SlotState::free, SlotState::copying);
  target.tag = full.tag;
  if (std::exchange(target.used, Small{0}) != 0 && !has(Fault::release_event_dropped)) {
    queue_wait(s, s.copy_stream, event_of(Event::used, to));
  }
  queue(s.copy_stream, {Work::copy, from, to, full.tag});
  queue_record(s, s.copy_stream, event_of(Event::host_copied, from));
  queue_record(s, s.copy_stream, event_of(Event::device_copied, to));
  s.in_flight.push(from);
  move(target.state, SlotState::copying, SlotState::ready);
  say("queues the copy to device slot", to, target.tag);
  begin_collecting(t, false);
  if (has(Fault::host_slot_free_at_issue)) t.next = Next::synchronize;
  hand(s, t, WaitAt::ready, to);
}

}  // namespace stoker::model
