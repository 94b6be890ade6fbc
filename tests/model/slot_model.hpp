#pragma once

#include "src/engine/slot_protocol.hpp"
#include "tests/model/slot_model_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stoker::model {

/// What is wrong on purpose.
enum class Fault : std::uint8_t {
  none,
  release_event_dropped,      ///< the copy stream does not wait for the consumer's work
  host_slot_free_at_issue,    ///< the prefetcher frees a host slot once its copy is queued
  wake_up_before_change,      ///< a thread notifies, then changes what the sleeper looks at
  wake_up_missing,            ///< a thread does not notify
  arrival_noted_at_issue,     ///< a device slot is marked arrived when its copy is queued
  arrival_noted_unasked,      ///< or when its host slot is seen copied, with work left behind that
  superseded_arrival_noted,   ///< the prefetcher does not see that a newer copy was queued
  generation_read_too_early,  ///< the collector does not look for a new one behind its pop
};

struct SlotModelOptions {
  Small batches = 5;  ///< of a generation, at most 7
  Small samples = 1;  ///< of a batch, at most most_samples
  /// Where changing a queue and waking who waits for it are two steps, and wake-ups are lost.
  WaitAt in_halves = WaitAt::nowhere;
  bool all_in_halves = false;  ///< everywhere
  bool zero_copy = false;      ///< no device: the consumer takes host slots
  bool releaser = true;        ///< another thread may release what the consumer holds
  bool keeps_one = false;      ///< and keeps one batch until the consumer has another
  bool restart = false;        ///< the consumer may begin again once, in mid-epoch
  Fault fault = Fault::none;
};

/// The engine's slot protocol, as slot_ring, threaded_feeder, collector, prefetcher and loader_core
/// play it, one thread's access to what is shared a step: for StateSpace. Slots change their states
/// by the engine's own table (slot_protocol.hpp) and by nothing else.
class SlotModel {
 public:
  using State = SlotModelState;

  /// `choice` tells apart what an actor may do in the same state.
  struct Step {
    Actor actor{};
    Small choice = 0;
    const char* what = "";  ///< with the slot and the batch that it is about
    Small slot = none;
    Tag tag = 0;
    const char* handing = "";  ///< the half of a hand-over that it does
    WaitAt at = WaitAt::nowhere;
  };
  static constexpr Small none = 0xFF;

  explicit SlotModel(const SlotModelOptions& options) : options_(options) {}

  State initial() const;
  bool finished(const State& state) const;
  static std::string text(const Step& step);

  template <class Visit>
  void for_each_step(const State& state, Visit visit) {
    for (Small actor = 0; actor <= static_cast<Small>(Actor::consumer_stream); ++actor) {
      for (Small choice = 0; choice < choices(state, static_cast<Actor>(actor)); ++choice) {
        step_ = {.actor = static_cast<Actor>(actor), .choice = choice};
        broken_ = nullptr;
        State next = state;
        if (!go(next)) continue;
        make_equal_workers_equal(next);
        expect_no_wake_up_lost(next);
        visit(step_, next, broken_);
      }
    }
  }

  /// Whether some step took this transition.
  bool took(SlotTransition edge) const noexcept {
    return took_[static_cast<std::size_t>(edge.from)][static_cast<std::size_t>(edge.to)];
  }

 private:
  /// In how many ways an actor may be able to go on.
  Small choices(const State& s, Actor actor) const;
  // Each returns whether the actor can go on in this way.
  bool go(State& s);
  bool go_thread(State& s, Thread& t);
  bool schedule(State& s, Thread& t);
  bool work(State& s, Thread& t);
  bool collect(State& s, Thread& t);
  bool prefetch(State& s, Thread& t);
  bool consume(State& s, Thread& t);
  bool release_lent(State& s, Thread& t);
  bool run_copies(State& s);
  bool run_consumer_work(State& s);

  // The scheduler's and the workers' steps.
  bool assign(State& s, Thread& t);
  void produce(State& s, Thread& t);

  // The collector's, on the prefetcher's thread or on the consumer's.
  void begin_collecting(Thread& t, bool waiting) const;
  bool drop_early(State& s, Thread& t);
  void look(State& s, Thread& t);
  void accept(State& s, Thread& t);
  void deliver(State& s, Thread& t);

  // The prefetcher's.
  void take_target(State& s, Thread& t);
  static bool has_work_to_see_done(const State& s);
  bool see_one_done(State& s, Thread& t);
  void note_arrivals(State& s, Thread& t);
  bool note_oldest(State& s);
  void go_on_looking(Thread& t) const;
  void free_oldest(State& s, Thread& t);
  bool superseded(const State& s, const Arrival& arrival) const;
  void transfer(State& s, Thread& t);

  // The consumer's, and who releases for it.
  bool ask(State& s, Thread& t);
  void make_room(State& s, Thread& t);
  void pop_ready(State& s, Thread& t);
  void receive(State& s, Thread& t);
  void lend(State& s, Thread& t);
  void release(State& s, Thread& t);
  void restart(State& s, Thread& t);

  // Handing over and sleeping.
  void hand(State& s, Thread& t, WaitAt at, Small item);
  void hand_half(State& s, Thread& t);
  void change(State& s, const Thread& t);
  void notify(State& s, WaitAt at);
  bool take_or_sleep(State& s, Thread& t, WaitAt at, Small& item);
  void expect_no_wake_up_lost(const State& s);

  // Streams and events.
  void queue(Stream& stream, Operation operation);
  void queue_wait(State& s, Stream& stream, Small event);
  void queue_record(State& s, Stream& stream, Small event);
  bool reach_marks(State& s, Stream& stream);
  void reach(State& s, Small event);
  static bool reached(const State& s, Event event, Small slot);

  void move(SlotState& state, SlotState from, SlotState to);
  bool holds(const std::array<Tag, most_samples>& content, Tag tag) const;
  void expect(bool holds, const char* property);
  void say(const char* what, Small slot = none, Tag tag = 0);
  bool has(Fault fault) const noexcept { return options_.fault == fault; }
  static void make_equal_workers_equal(State& s);

  SlotModelOptions options_;
  Step step_;
  const char* broken_ = nullptr;
  std::array<std::array<bool, 6>, 6> took_{};
};

}  // namespace stoker::model
