// The collector's steps, on the prefetcher's thread or on the consumer's: collector.cpp. A thread's
// `second` says whether the caller waits (next) or not (try_next).
#include "tests/model/slot_model.hpp"

#include <algorithm>
#include <utility>

namespace stoker::model {

void SlotModel::begin_collecting(Thread& t, bool waiting) const {
  t.slot = 0;
  t.second = waiting ? 1 : 0;
  t.next = options_.restart ? Next::follow : Next::look;  // without restarts there's none to follow
}

bool SlotModel::collect(State& s, Thread& t) {
  switch (t.next) {
    case Next::follow:
      say("looks which generation is wanted");
      if (!drop_early(s, t)) t.next = Next::look;
      return true;
    case Next::look: look(s, t); return true;
    default: accept(s, t); return true;
  }
}

/// Follows the consumer to a new generation; one early batch of an older one a step.
bool SlotModel::drop_early(State& s, Thread& t) {
  if (std::exchange(s.collector_generation, s.generation) != s.generation) s.collected = 0;
  const auto stale = std::ranges::find_if(s.early, [&](Small slot) {
    return generation_of(s.host[slot].tag) != s.collector_generation;
  });
  if (stale == s.early.end()) return false;
  const Small slot = s.early.take(static_cast<std::size_t>(stale - s.early.begin()));
  say("drops host slot", slot, s.host[slot].tag);
  move(s.host[slot].state, SlotState::full, SlotState::free);
  hand(s, t, WaitAt::free_host, slot);
  return true;
}

void SlotModel::look(State& s, Thread& t) {
  const Tag wanted = tag_of(s.collector_generation, s.collected);
  const auto found =
      std::ranges::find_if(s.early, [&](Small slot) { return s.host[slot].tag == wanted; });
  if (found != s.early.end()) {
    t.slot = s.early.take(static_cast<std::size_t>(found - s.early.begin()));
    deliver(s, t);
  } else if (s.completed.size != 0) {
    t.slot = s.completed.take();
    say("takes complete host slot", t.slot, s.host[t.slot].tag);
    t.next = Next::accept;
    if (!options_.restart) accept(s, t);
  } else if (t.second != 0) {
    say("falls asleep: no complete batch");
    t.asleep = WaitAt::completed;
  } else if (step_.actor == Actor::consumer) {
    say("finds no complete batch");
    t.next = Next::make_room;
  } else if (has_work_to_see_done(s)) {
    say("finds no complete batch");
    t.next = Next::see_done;
  } else {
    say("finds no complete batch");
    begin_collecting(t, true);
  }
}

void SlotModel::accept(State& s, Thread& t) {
  const bool early_reading = has(Fault::generation_read_too_early) && t.second == 0;
  if (!early_reading && drop_early(s, t)) return;
  const Small slot = t.slot;
  const Tag tag = s.host[slot].tag;
  if (tag == tag_of(s.collector_generation, s.collected)) {
    deliver(s, t);
    return;
  }
  const bool waits = t.second != 0;
  t.slot = 0;
  t.next = waits && options_.restart ? Next::follow : Next::look;
  if (generation_of(tag) == s.collector_generation) {
    say("sets an early batch aside: host slot", slot, tag);
    s.early.push(slot);
  } else {
    say("drops host slot", slot, tag);
    move(s.host[slot].state, SlotState::full, SlotState::free);
    hand(s, t, WaitAt::free_host, slot);
  }
}

void SlotModel::deliver(State& s, Thread& t) {
  say("has the next batch: host slot", t.slot, s.host[t.slot].tag);
  ++s.collected;
  t.second = 0;
  t.next = step_.actor == Actor::consumer ? Next::receive : Next::take_target;
}

}  // namespace stoker::model
