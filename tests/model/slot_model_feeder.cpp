// The scheduler's and the workers' steps: threaded_feeder.cpp, assign_batch.cpp, epoch_cursor.cpp.
#include "tests/model/slot_model.hpp"

#include <algorithm>
#include <utility>

namespace stoker::model {
namespace {

constexpr Small task_of(Small slot, Small sample) {
  return static_cast<Small>(slot * most_samples + sample);
}

}  // namespace

bool SlotModel::schedule(State& s, Thread& t) {
  switch (t.next) {
    case Next::take_slot:
      if (!take_or_sleep(s, t, WaitAt::free_host, t.slot)) return true;
      t.next = Next::assign;
      if (!options_.restart) assign(s, t);  // without restarts nobody else moves the cursor
      return true;
    case Next::assign: return assign(s, t);
    default:  // dispatch
      say("hands out a sample of host slot", t.slot, s.host[t.slot].tag);
      hand(s, t, WaitAt::tasks, task_of(t.slot, t.second));
      if (++t.second < options_.samples) return true;
      t.slot = t.second = 0;
      t.next = Next::take_slot;
      return true;
  }
}

/// The cursor's mutex makes asking and waiting one step.
bool SlotModel::assign(State& s, Thread& t) {
  if (s.cursor == options_.batches) return false;
  HostSlot& slot = s.host[t.slot];
  slot.tag = tag_of(s.cursor_generation, s.cursor++);
  slot.pending = options_.samples;
  move(slot.state, SlotState::free, SlotState::filling);
  say("assigns host slot", t.slot, slot.tag);
  t.next = Next::dispatch;
  return true;
}

bool SlotModel::work(State& s, Thread& t) {
  if (t.next == Next::produce) {
    produce(s, t);
    return true;
  }
  Small task = 0;
  if (!take_or_sleep(s, t, WaitAt::tasks, task)) return true;
  t.slot = static_cast<Small>(task / most_samples);
  t.second = static_cast<Small>(task % most_samples);
  t.next = Next::produce;
  return true;
}

/// Samples of an older generation are not written, but counted.
void SlotModel::produce(State& s, Thread& t) {
  const Small at = std::exchange(t.slot, Small{0});
  HostSlot& slot = s.host[at];
  say("produces a sample in host slot", at, slot.tag);
  if (generation_of(slot.tag) == s.generation) {
    expect(std::ranges::none_of(s.copy_stream,
                                [at](const Operation& queued) {
                                  return (queued.work == Work::copy ||
                                          queued.work == Work::copy_rest) &&
                                         queued.from == at;
                                }),
           "a host slot is written while a queued copy reads it");
    slot.content[t.second] = slot.tag;
  }
  t.second = 0;
  t.next = Next::take_task;
  if (--slot.pending != 0) return;
  move(slot.state, SlotState::filling, SlotState::full);
  hand(s, t, WaitAt::completed, at);
}

}  // namespace stoker::model
