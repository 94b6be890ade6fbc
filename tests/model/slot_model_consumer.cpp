// The steps of the consumer and of who releases for it: loader_core.cpp, slot_ring.cpp.
#include "tests/model/slot_model.hpp"

#include <utility>

namespace stoker::model {

bool SlotModel::consume(State& s, Thread& t) {
  if (t.next == Next::ask) return ask(s, t);
  if (t.next == Next::part_with && step_.choice == 1) {
    if (options_.releaser) lend(s, t);
    return options_.releaser;
  }
  if (step_.choice != 0) return false;
  switch (t.next) {
    case Next::make_room: make_room(s, t); return true;
    case Next::pop_ready: pop_ready(s, t); return true;
    case Next::receive: receive(s, t); return true;
    case Next::part_with: release(s, t); return true;
    case Next::count_down:
      hand(s, t, WaitAt::released, 0);
      t.next = Next::ask;
      return true;
    case Next::restart: restart(s, t); return true;
    case Next::done: return false;
    default: return collect(s, t);
  }
}

bool SlotModel::ask(State& s, Thread& t) {
  if (step_.choice == 1) {
    if (!options_.restart || s.generation != 0) return false;
    restart(s, t);
    return true;
  }
  if (s.delivered == options_.batches) {
    say("has had all batches");
    t.next = Next::done;
  } else if (options_.zero_copy) {
    say("asks for a batch");
    begin_collecting(t, false);
  } else if (s.ready.size == 0) {
    say("finds no ready batch");
    t.next = Next::make_room;
  } else {
    t.slot = s.ready.take();
    say("takes ready device slot", t.slot);
    t.next = Next::receive;
  }
  return true;
}

/// That not all slots are held stays so until the consumer has one more: its look at the ready ones
/// is part of this step.
void SlotModel::make_room(State& s, Thread& t) {
  if (s.held == slots) {
    say("falls asleep: it holds all slots");
    t.asleep = WaitAt::released;
    return;
  }
  say("sees that not all slots are held");
  if (options_.zero_copy) {
    begin_collecting(t, true);
  } else {
    t.next = Next::pop_ready;
    pop_ready(s, t);
  }
}

void SlotModel::pop_ready(State& s, Thread& t) {
  if (take_or_sleep(s, t, WaitAt::ready, t.slot)) t.next = Next::receive;
}

void SlotModel::receive(State& s, Thread& t) {
  const bool zero_copy = options_.zero_copy;
  SlotState& state = zero_copy ? s.host[t.slot].state : s.device[t.slot].state;
  const Tag tag = zero_copy ? s.host[t.slot].tag : s.device[t.slot].tag;
  const SlotState complete = zero_copy ? SlotState::full : SlotState::ready;
  if (generation_of(tag) != s.generation) {
    say("drops a batch of an older generation: slot", t.slot, tag);
    move(state, complete, SlotState::free);
    t.next = Next::ask;
    hand(s, t, zero_copy ? WaitAt::free_host : WaitAt::free_device,
         std::exchange(t.slot, Small{0}));
    return;
  }
  expect(tag == tag_of(s.generation, s.delivered), "a batch is lost or out of order");
  ++s.delivered;
  ++s.held;
  move(state, complete, SlotState::held);
  t.next = Next::part_with;
  if (zero_copy) {
    say("holds host slot", t.slot, tag);
    return;
  }
  if (s.device[t.slot].arrived != 0) {
    say("queues at once a kernel that reads arrived device slot", t.slot, tag);
  } else {
    say("waits on its stream for the copy and queues a kernel that reads device slot", t.slot, tag);
    queue_wait(s, s.consumer_stream, event_of(Event::device_copied, t.slot));
  }
  queue(s.consumer_stream, {Work::kernel, 0, t.slot, tag});
}

void SlotModel::lend(State& s, Thread& t) {
  say("leaves to another thread the release of slot", t.slot);
  s.lent = static_cast<Small>(s.lent | 1U << std::exchange(t.slot, Small{0}));
  t.next = Next::ask;
}

bool SlotModel::release_lent(State& s, Thread& t) {
  if (t.next == Next::count_down) {
    if (step_.choice != 0) return false;
    t.next = Next::release;
    hand(s, t, WaitAt::released, 0);
    return true;
  }
  if ((s.lent >> step_.choice & 1U) == 0) return false;
  const bool keeps = options_.keeps_one && thread_of(s, Actor::consumer).next != Next::done;
  if (keeps && s.lent != (1U << slots) - 1) return false;
  s.lent = static_cast<Small>(s.lent & ~(1U << step_.choice));
  t.slot = step_.choice;
  release(s, t);
  return true;
}

void SlotModel::release(State& s, Thread& t) {
  const Small slot = std::exchange(t.slot, Small{0});
  t.next = Next::count_down;
  if (options_.zero_copy) {
    HostSlot& held = s.host[slot];
    expect(holds(held.content, held.tag), "a batch changed while it was held");
    say("releases host slot", slot, held.tag);
    move(held.state, SlotState::held, SlotState::free);
    hand(s, t, WaitAt::free_host, slot);
    return;
  }
  DeviceSlot& held = s.device[slot];
  say("marks its use and releases device slot", slot, held.tag);
  queue_record(s, s.consumer_stream, event_of(Event::used, slot));
  held.used = 1;
  move(held.state, SlotState::held, SlotState::free);
  hand(s, t, WaitAt::free_device, slot);
}

/// Names the new generation, then sets the cursor to its beginning: two steps.
void SlotModel::restart(State& s, Thread& t) {
  if (t.next == Next::ask) {
    say("wants another epoch: names a new generation");
    ++s.generation;
    s.delivered = 0;
    t.next = Next::restart;
  } else {
    say("sets the cursor to its beginning");
    s.cursor_generation = s.generation;
    s.cursor = 0;
    t.next = Next::ask;
  }
}

}  // namespace stoker::model
