#include "src/engine/scheduler.hpp"

#include "src/engine/assign_batch.hpp"
#include "src/engine/executor.hpp"
#include "src/engine/thread_affinity.hpp"

#include <mutex>
#include <optional>

namespace stoker {

Scheduler::Scheduler(SlotRing& ring, EpochCursor& cursor, BatchSchedule& schedule,
                     StageCounters& counters, Dispatcher& dispatcher)
    : ring_(ring),
      cursor_(cursor),
      schedule_(schedule),
      counters_(counters),
      dispatcher_(dispatcher),
      choosing_(2 * in_place_time),  // until it was measured
      in_place_(std::make_shared<InPlace>(*this)) {}

Scheduler::~Scheduler() {
  if (thread_.joinable()) thread_.join();
  in_place_->leave();
}

void Scheduler::start(bool in_place, const std::vector<int>& processors) {
  if (in_place) ring_.offer_released_to(in_place_);
  thread_ = std::thread([this, processors] {
    begin_thread("stoker-sched", processors);
    run();
  });
}

void Scheduler::run() {
  while (Slot* slot = take_free_slot()) {
    if (!assign_next(*slot)) return;
  }
}

/// While all slots are in use there is time to build the next epoch's order.
Slot* Scheduler::take_free_slot() {
  if (Slot* slot = ring_.try_take()) return slot;
  if (const auto epoch = cursor_.guess()) prepare(*epoch);
  const Timer timer;
  Slot* slot = ring_.take();
  counters_.blocked_on_output.add(timer.elapsed());
  return slot;
}

void Scheduler::prepare(std::uint64_t epoch) {
  const std::lock_guard turn(in_place_->turn());
  try {
    schedule_.prepare(epoch);
  } catch (...) {
    // The epoch's first batch meets the same failure and reports it, if the epoch is asked for.
  }
}

/// Waits for a batch to do, in its turn all the while: nobody else would find one.
bool Scheduler::assign_next(Slot& slot) {
  const std::lock_guard turn(in_place_->turn());
  const Timer timer;
  const std::optional<EpochCursor::Position> position = cursor_.next();
  if (!position) return false;
  counters_.blocked_on_input.add(timer.elapsed());
  assign(slot, *position);
  return true;
}

void Scheduler::assign(Slot& slot, const EpochCursor::Position& position) {
  Timer timer;
  assign_batch(slot, position, ring_, schedule_);
  const std::chrono::nanoseconds took = timer.lap();
  if (position.step > 0) choosing_ += (took - choosing_) / 8;  // the first one builds the order
  counters_.busy.add(took);
  counters_.items.add();
  dispatcher_.dispatch(slot);
  counters_.blocked_on_output.add(timer.lap());
}

/// A worker leaves the slot to the scheduler's thread: it must submit no task. So does whoever
/// finds another at it.
bool Scheduler::InPlace::take(Slot& slot) noexcept {
  if (in_task()) return false;
  const std::unique_lock turn(turn_, std::try_to_lock);
  return turn && scheduler_ != nullptr && scheduler_->try_assign(slot);
}

void Scheduler::InPlace::leave() {
  const std::lock_guard turn(turn_);
  scheduler_ = nullptr;
}

/// An epoch's first batch, before which its order is built, is left to the scheduler's thread.
bool Scheduler::try_assign(Slot& slot) {
  if (stopping_.load(std::memory_order_relaxed) || choosing_ > in_place_time ||
      !dispatcher_.is_little_work()) {
    return false;
  }
  const std::optional<EpochCursor::Position> position = cursor_.try_next_in_epoch();
  if (!position) return false;
  assign(slot, *position);
  return true;
}

}  // namespace stoker
