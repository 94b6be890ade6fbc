#include "tests/model/slot_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace stoker::model {
namespace {

Thread& thread_of(SlotModelState& s, Actor actor) {
  return s.thread[static_cast<std::size_t>(actor)];
}

constexpr Small task_of(Small slot, Small sample) {
  return static_cast<Small>(slot * most_samples + sample);
}

template <class Array>
bool all_free(const Array& slots_of_a_ring) {
  return std::ranges::all_of(slots_of_a_ring,
                             [](const auto& slot) { return slot.state == SlotState::free; });
}

bool is_worker(const SlotModelState& s, const Thread& t) {
  return &t == &s.thread[static_cast<std::size_t>(Actor::worker)] ||
         &t == &s.thread[static_cast<std::size_t>(Actor::second_worker)];
}

/// Whether what threads wait for at a place is there.
bool is_there(const SlotModelState& s, WaitAt at) {
  switch (at) {
    case WaitAt::free_host: return s.free_host.size != 0;
    case WaitAt::tasks: return s.tasks.size != 0;
    case WaitAt::completed: return s.completed.size != 0;
    case WaitAt::free_device: return s.free_device.size != 0;
    case WaitAt::ready: return s.ready.size != 0;
    case WaitAt::released: return s.held < slots;
    default: return false;
  }
}

std::string_view name_of(Actor actor) {
  constexpr std::array<std::string_view, 8> names{"scheduler",   "worker",           "worker",
                                                  "prefetcher",  "consumer",         "releaser",
                                                  "copy stream", "consumer's stream"};
  return names[static_cast<std::size_t>(actor)];
}

std::string_view name_of(WaitAt at) {
  constexpr std::array<std::string_view, 7> names{
      "nothing",           "free host slots", "tasks",           "complete batches",
      "free device slots", "ready batches",   "released batches"};
  return names[static_cast<std::size_t>(at)];
}

}  // namespace

SlotModelState SlotModel::initial() const {
  State s;
  for (Small slot = 0; slot < slots; ++slot) {
    s.free_host.push(slot);
    if (!options_.zero_copy) s.free_device.push(slot);
  }
  thread_of(s, Actor::scheduler).next = Next::take_slot;
  thread_of(s, Actor::worker).next = Next::take_task;
  thread_of(s, Actor::second_worker).next = Next::take_task;
  begin_collecting(thread_of(s, Actor::prefetcher), false);
  thread_of(s, Actor::consumer).next = Next::ask;
  thread_of(s, Actor::releaser).next = Next::release;
  return s;
}

bool SlotModel::finished(const State& s) const {
  // Without a prefetcher nobody takes an older generation's last batches before the next one ends.
  const auto given_back = [&](const HostSlot& slot) {
    return slot.state == SlotState::free || (options_.zero_copy && slot.state == SlotState::full &&
                                             generation_of(slot.tag) != s.generation);
  };
  return s.thread[static_cast<std::size_t>(Actor::consumer)].next == Next::done && s.lent == 0 &&
         s.held == 0 && std::ranges::all_of(s.host, given_back) && all_free(s.device) &&
         s.copy_stream.size == 0 && s.consumer_stream.size == 0;
}

std::string SlotModel::text(const Step& step) {
  std::string text = fmt::format("{}: {}", name_of(step.actor), step.what);
  if (step.slot != none) text += fmt::format(" {}", step.slot);
  if (step.tag != 0) {
    text +=
        fmt::format(" (batch {} of generation {})", sequence_of(step.tag), generation_of(step.tag));
  }
  if (step.at == WaitAt::nowhere) return text;
  return text +
         fmt::format("{}{} {}", *step.what == '\0' ? "" : "; ", step.handing, name_of(step.at));
}

Small SlotModel::choices(const State& s, Actor actor) const {
  const auto has_work = [](const auto& stream) -> Small {
    return stream.size != 0 && stream.items[0].work != Work::wait ? 1 : 0;
  };
  if (actor == Actor::copy_stream) return has_work(s.copy_stream);
  if (actor == Actor::consumer_stream) return has_work(s.consumer_stream);
  const Thread& t = s.thread[static_cast<std::size_t>(actor)];
  if (t.asleep != WaitAt::nowhere) return 0;
  if (t.halves_left != 0) return 1;
  if (t.next == Next::release && s.lent == 0) return 0;
  if (actor == Actor::prefetcher && options_.zero_copy) return 0;
  return actor == Actor::consumer || actor == Actor::releaser ? 2 : 1;
}

bool SlotModel::go(State& s) {
  switch (step_.actor) {
    case Actor::copy_stream: return run_copies(s);
    case Actor::consumer_stream: return run_consumer_work(s);
    default: return go_thread(s, thread_of(s, step_.actor));
  }
}

bool SlotModel::go_thread(State& s, Thread& t) {
  if (t.halves_left != 0) {
    hand_half(s, t);
    return true;
  }
  if (step_.actor == Actor::releaser) return release_lent(s, t);
  if (step_.actor == Actor::consumer) return consume(s, t);
  if (step_.actor == Actor::scheduler) return schedule(s, t);
  if (step_.actor == Actor::prefetcher) return prefetch(s, t);
  return work(s, t);
}

// ---- scheduler and workers: threaded_feeder.cpp, assign_batch.cpp, epoch_cursor.cpp

bool SlotModel::schedule(State& s, Thread& t) {
  switch (t.next) {
    case Next::take_slot:
      if (take_or_sleep(t, s.free_host, WaitAt::free_host, t.slot)) t.next = Next::assign;
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
  if (!take_or_sleep(t, s.tasks, WaitAt::tasks, task)) return true;
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

// ---- collector.cpp; `second` says whether the caller waits (next) or not (try_next)

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
  } else if (s.in_flight.size != 0) {
    say("finds no complete batch");
    t.next = Next::synchronize;
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

// ---- prefetcher.cpp

bool SlotModel::prefetch(State& s, Thread& t) {
  switch (t.next) {
    case Next::synchronize: return synchronize(s, t);
    case Next::take_target:
      if (take_or_sleep(t, s.free_device, WaitAt::free_device, t.second)) t.next = Next::transfer;
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

// ---- consumer: loader_core.cpp, slot_ring.cpp

bool SlotModel::consume(State& s, Thread& t) {
  if (t.next == Next::ask) return ask(s, t);
  if (t.next == Next::part_with && step_.choice == 1) {
    if (options_.releaser) lend(s, t);
    return options_.releaser;
  }
  if (step_.choice != 0) return false;
  switch (t.next) {
    case Next::make_room: make_room(s, t); return true;
    case Next::pop_ready:
      if (take_or_sleep(t, s.ready, WaitAt::ready, t.slot)) t.next = Next::receive;
      return true;
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
  }
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
  say("waits on its stream for the copy and queues a kernel that reads device slot", t.slot, tag);
  queue_wait(s, s.consumer_stream, event_of(Event::device_copied, t.slot));
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

// ---- handing over: bounded_queue.hpp, wait_point.hpp (whose own steps wait_model.hpp has)

template <std::size_t capacity>
bool SlotModel::take_or_sleep(Thread& t, Fifo<Small, capacity>& queue, WaitAt at, Small& item) {
  step_.at = at;
  if (queue.size == 0) {
    step_.handing = "falls asleep: no";
    t.asleep = at;
    return false;
  }
  step_.handing = "takes one of the";
  item = queue.take();
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
  bool room = true;
  switch (t.hands_to) {
    case WaitAt::free_host: room = s.free_host.push(t.item); break;
    case WaitAt::tasks: room = s.tasks.push(t.item); break;
    case WaitAt::completed: room = s.completed.push(t.item); break;
    case WaitAt::free_device: room = s.free_device.push(t.item); break;
    case WaitAt::ready: room = s.ready.push(t.item); break;
    default: --s.held; break;
  }
  expect(room, "a queue is full: what was handed over is lost");
}

/// Wakes one: only the workers can be two at one place, and a sleeping one is like the other.
void SlotModel::notify(State& s, WaitAt at) {
  const auto sleeper = std::ranges::find(s.thread, at, &Thread::asleep);
  if (sleeper != s.thread.end()) sleeper->asleep = WaitAt::nowhere;
}

// ---- streams and events

bool SlotModel::run_copies(State& s) {
  Operation& next = s.copy_stream.items[0];
  const Operation now = next;
  switch (now.work) {
    case Work::copy:
      say("begins the copy to device slot", now.to, now.tag);
      expect(std::ranges::none_of(s.consumer_stream,
                                  [&now](const Operation& queued) {
                                    return queued.work == Work::kernel && queued.to == now.to &&
                                           queued.tag < now.tag;
                                  }),
             "a device slot is overwritten while queued work of the consumer reads it");
      s.device[now.to].content = {};
      next.work = Work::copy_rest;
      return true;
    case Work::copy_rest:
      say("ends the copy to device slot", now.to, now.tag);
      s.device[now.to].content = s.host[now.from].content;
      break;
    case Work::record:
      say("reaches a mark");
      reach(s, now.from);
      break;
    default: return false;  // a wait
  }
  s.copy_stream.take();
  return true;
}

bool SlotModel::run_consumer_work(State& s) {
  const Operation now = s.consumer_stream.items[0];
  switch (now.work) {
    case Work::kernel:
      say("runs the kernel that reads device slot", now.to, now.tag);
      expect(holds(s.device[now.to].content, now.tag), "a kernel reads what is not its batch");
      break;
    case Work::record:
      say("reaches a mark");
      reach(s, now.from);
      break;
    default: return false;  // a wait
  }
  s.consumer_stream.take();
  return true;
}

template <class Stream>
void SlotModel::queue(Stream& stream, Operation operation) {
  expect(stream.push(operation), "the model's streams are too short");
}

/// A wait counts the marks that are still to come: at none it is over, and taken out.
template <class Stream>
void SlotModel::queue_wait(State& s, Stream& stream, Small event) {
  if (s.unreached[event] != 0) queue(stream, {Work::wait, event, s.unreached[event], 0});
}

template <class Stream>
void SlotModel::queue_record(State& s, Stream& stream, Small event) {
  ++s.unreached[event];
  queue(stream, {Work::record, event, 0, 0});
}

void SlotModel::reach(State& s, Small event) {
  --s.unreached[event];
  const auto count_down = [event](auto& stream) {
    for (std::size_t i = stream.size; i-- > 0;) {
      Operation& queued = stream.items[i];
      if (queued.work == Work::wait && queued.from == event && --queued.to == 0) stream.take(i);
    }
  };
  count_down(s.copy_stream);
  count_down(s.consumer_stream);
}

// ---- what all steps share

void SlotModel::move(SlotState& state, SlotState from, SlotState to) {
  expect(allowed(from, to) && state == from, "a transition that the protocol does not have");
  took_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = true;
  state = to;
}

bool SlotModel::holds(const std::array<Tag, most_samples>& content, Tag tag) const {
  return std::all_of(content.begin(), content.begin() + options_.samples,
                     [tag](Tag found) { return found == tag; });
}

void SlotModel::expect(bool holds, const char* property) {
  if (!holds && broken_ == nullptr) broken_ = property;
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

void SlotModel::say(const char* what, Small slot, Tag tag) {
  step_.what = what;
  step_.slot = slot;
  step_.tag = tag;
}

void SlotModel::make_equal_workers_equal(State& s) {
  Thread& first = thread_of(s, Actor::worker);
  Thread& second = thread_of(s, Actor::second_worker);
  if (std::memcmp(&first, &second, sizeof first) > 0) std::swap(first, second);
}

}  // namespace stoker::model
