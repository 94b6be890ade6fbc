#include "tests/model/slot_model.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stoker::model {
namespace {

template <class Array>
bool all_free(const Array& slots_of_a_ring) {
  return std::ranges::all_of(slots_of_a_ring,
                             [](const auto& slot) { return slot.state == SlotState::free; });
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
  return thread_of(s, Actor::consumer).next == Next::done && s.lent == 0 && s.held == 0 &&
         std::ranges::all_of(s.host, given_back) && all_free(s.device) && s.copy_stream.size == 0 &&
         s.consumer_stream.size == 0;
}

Small SlotModel::choices(const State& s, Actor actor) const {
  const auto has_work = [](const auto& stream) -> Small {
    return stream.size != 0 && stream.items[0].work != Work::wait ? 1 : 0;
  };
  if (actor == Actor::copy_stream) return has_work(s.copy_stream);
  if (actor == Actor::consumer_stream) return has_work(s.consumer_stream);
  const Thread& t = thread_of(s, actor);
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
