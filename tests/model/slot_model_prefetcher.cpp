// The prefetcher's steps: prefetcher.cpp.
#include "tests/model/slot_model.hpp"

#include <utility>

namespace stoker::model {

bool SlotModel::prefetch(State& s, Thread& t) {
  switch (t.next) {
    case Next::see_done: return see_one_done(s, t);
    case Next::note: note_arrivals(s, t); return true;
    case Next::take_target: take_target(s, t); return true;
    case Next::transfer: transfer(s, t); return true;
    default: return collect(s, t);
  }
}

void SlotModel::take_target(State& s, Thread& t) {
  if (s.free_device.size == 0 && has_work_to_see_done(s)) {
    say("finds no free device slot");
    t.next = Next::see_done;
    t.second = 1;
  } else if (take_or_sleep(s, t, WaitAt::free_device, t.second)) {
    t.next = Next::transfer;
  }
}

bool SlotModel::has_work_to_see_done(const State& s) {
  return s.in_flight.size != 0 || s.arriving.size != 0;
}

/// Waits for the oldest copy or, with none in flight, for what the device does behind it.
bool SlotModel::see_one_done(State& s, Thread& t) {
  if (s.in_flight.size != 0) {
    const bool copied = reached(s, Event::host_copied, s.in_flight.items[0]);
    if (!copied && !has(Fault::host_slot_free_at_issue)) return false;
  } else {
    const Arrival& arrival = s.arriving.items[0];
    if (!superseded(s, arrival) && !reached(s, Event::device_copied, arrival.slot)) return false;
  }
  note_arrivals(s, t);
  return true;
}

/// One arrival a step; the look that finds no more also frees the host slot whose copy was waited
/// for. What arrives in between is noted the next time; a stream's wait for it is over at once.
void SlotModel::note_arrivals(State& s, Thread& t) {
  while (s.arriving.size != 0 && superseded(s, s.arriving.items[0])) s.arriving.take();
  const bool noted = s.arriving.size != 0 && note_oldest(s);
  if (noted && (s.in_flight.size != 0 || s.arriving.size != 0)) {
    t.next = Next::note;
    return;
  }
  if (!noted) say("sees no more arrived");
  go_on_looking(t);
  if (s.in_flight.size != 0) free_oldest(s, t);
}

/// Returns whether it is there. An event that is asked for stands for its latest record.
bool SlotModel::note_oldest(State& s) {
  const auto [slot, copy] = s.arriving.items[0];
  const bool unasked = has(Fault::arrival_noted_unasked) && s.in_flight.size != 0;
  if (!unasked && !reached(s, Event::device_copied, slot)) return false;
  say("marks as arrived device slot", slot, s.device[slot].tag);
  s.arriving.take();
  s.device[slot].arrived = 1;
  return true;
}

/// For a free device slot where it has a batch, for a batch otherwise.
void SlotModel::go_on_looking(Thread& t) const {
  if (std::exchange(t.second, Small{0}) != 0) {
    t.next = Next::take_target;
  } else {
    begin_collecting(t, false);
  }
}

void SlotModel::free_oldest(State& s, Thread& t) {
  const Small slot = s.in_flight.take();
  say(reached(s, Event::host_copied, slot) ? "frees host slot"
                                           : "frees, with its copy queued, host slot",
      slot, s.host[slot].tag);
  move(s.host[slot].state, SlotState::copying, SlotState::free);
  hand(s, t, WaitAt::free_host, slot);
}

/// Whether the slot has received another copy since: a batch's tag names its copy.
bool SlotModel::superseded(const State& s, const Arrival& arrival) const {
  return s.device[arrival.slot].tag != arrival.copy && !has(Fault::superseded_arrival_noted);
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
  queue(s.copy_stream, {Work::finish, 0, to, full.tag});
  queue_record(s, s.copy_stream, event_of(Event::device_copied, to));
  target.arrived = has(Fault::arrival_noted_at_issue) ? 1 : 0;
  expect(s.arriving.push({to, full.tag}), "arrivals pile up");
  s.in_flight.push(from);
  move(target.state, SlotState::copying, SlotState::ready);
  say("queues the copy to device slot", to, target.tag);
  begin_collecting(t, false);
  if (has(Fault::host_slot_free_at_issue)) t.next = Next::see_done;
  hand(s, t, WaitAt::ready, to);
}

}  // namespace stoker::model
