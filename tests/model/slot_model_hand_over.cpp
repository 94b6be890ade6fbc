// Handing over and sleeping: bounded_queue.hpp, wait_point.hpp.
#include "tests/model/slot_model.hpp"

#include <algorithm>

namespace stoker::model {
namespace {

/// Calls `use` with the queue that threads wait for at a place.
template <class State, class Use>
void with_queue(State& s, WaitAt at, Use use) {
  switch (at) {
    case WaitAt::free_host: return use(s.free_host);
    case WaitAt::tasks: return use(s.tasks);
    case WaitAt::completed: return use(s.completed);
    case WaitAt::free_device: return use(s.free_device);
    case WaitAt::ready: return use(s.ready);
    default: return;
  }
}

/// Whether what threads wait for at a place is there.
bool is_there(const SlotModelState& s, WaitAt at) {
  bool there = at == WaitAt::released && s.held < slots;
  with_queue(s, at, [&](const auto& queue) { there = queue.size != 0; });
  return there;
}

bool is_worker(const SlotModelState& s, const Thread& t) {
  return &t == &thread_of(s, Actor::worker) || &t == &thread_of(s, Actor::second_worker);
}

}  // namespace

bool SlotModel::take_or_sleep(State& s, Thread& t, WaitAt at, Small& item) {
  step_.at = at;
  if (!is_there(s, at)) {
    step_.handing = "falls asleep: no";
    t.asleep = at;
    return false;
  }
  step_.handing = "takes one of the";
  with_queue(s, at, [&](auto& queue) { item = queue.take(); });
  return true;
}

/// Does the first half of a hand-over; the second is the thread's next step.
void SlotModel::hand(State& s, Thread& t, WaitAt at, Small item) {
  t.hands_to = at;
  t.item = item;
  t.halves_left = 2;
  hand_half(s, t);
  if (!options_.all_in_halves && options_.in_halves != at) hand_half(s, t);
}

void SlotModel::hand_half(State& s, Thread& t) {
  const WaitAt at = step_.at = t.hands_to;
  const bool faulty = options_.in_halves == at;
  const bool swapped = faulty && has(Fault::wake_up_before_change);
  if ((t.halves_left == 2) != swapped) {
    step_.handing = "changes the";
    change(s, t);
  } else if (faulty && has(Fault::wake_up_missing)) {
    step_.handing = "wakes nobody who waits for";
  } else {
    step_.handing = "wakes who waits for";
    notify(s, at);
  }
  if (--t.halves_left != 0) return;
  t.hands_to = WaitAt::nowhere;
  t.item = 0;
}

void SlotModel::change(State& s, const Thread& t) {
  if (t.hands_to == WaitAt::released) {
    --s.held;
    return;
  }
  bool room = true;
  with_queue(s, t.hands_to, [&](auto& queue) { room = queue.push(t.item); });
  expect(room, "a queue is full: what was handed over is lost");
}

/// Wakes one: only the workers can be two at one place, and a sleeping one is like the other.
void SlotModel::notify(State& s, WaitAt at) {
  const auto sleeper = std::ranges::find(s.thread, at, &Thread::asleep);
  if (sleeper != s.thread.end()) sleeper->asleep = WaitAt::nowhere;
}

/// Of the workers one that is awake is enough: it looks again before it sleeps.
void SlotModel::expect_no_wake_up_lost(const State& s) {
  for (const Thread& sleeper : s.thread) {
    if (sleeper.asleep == WaitAt::nowhere || !is_there(s, sleeper.asleep)) continue;
    const bool on_its_way = std::ranges::any_of(s.thread, [&](const Thread& t) {
      return t.hands_to == sleeper.asleep ||
             (sleeper.asleep == WaitAt::tasks && t.asleep == WaitAt::nowhere && is_worker(s, t));
    });
    expect(on_its_way, "a thread sleeps though what it waits for is there: a wake-up was lost");
  }
}

}  // namespace stoker::model
