#pragma once

#include "src/engine/batch_schedule.hpp"
#include "src/engine/counters.hpp"
#include "src/engine/epoch_cursor.hpp"
#include "src/engine/slot_ring.hpp"
#include "src/engine/turn.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace stoker {

/// About how long it takes to wake a thread: work that takes no longer is done where it comes up.
inline constexpr std::chrono::nanoseconds in_place_time{10'000};

/// Whoever has a batch's samples read and produced once it is assigned to a slot.
class Dispatcher {
 public:
  /// Hands the slot's samples out. May wait for room; behind the last sample the slot is others'.
  virtual void dispatch(Slot& slot) = 0;
  /// Whether handing a batch out is little work now, and without waiting.
  virtual bool is_little_work() const noexcept = 0;

 protected:
  ~Dispatcher() = default;
};

/// Assigns the batches that the cursor names to free slots, on a thread of its own; where that is
/// little work also on the thread that releases a slot, at once and without waking its own.
class Scheduler {
 public:
  Scheduler(SlotRing& ring, EpochCursor& cursor, BatchSchedule& schedule, StageCounters& counters,
            Dispatcher& dispatcher);
  /// The ring and the cursor must be closed, and what the dispatcher waits for.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Starts the thread. `in_place`: whether whoever releases a slot may assign the next batch.
  void start(bool in_place, const std::vector<int>& processors);
  /// Ends assigning batches where slots are released, except what is at it.
  void stop() noexcept { stopping_.store(true, std::memory_order_relaxed); }

 private:
  /// Takes released slots for the scheduler as long as there is one; the ring may outlive it.
  class InPlace final : public SlotTaker {
   public:
    explicit InPlace(Scheduler& scheduler) : scheduler_(&scheduler) {}
    bool take(Slot& slot) noexcept override;
    Turn& turn() noexcept { return turn_; }
    void leave();

   private:
    Turn turn_;  ///< of who assigns batches
    Scheduler* scheduler_;
  };

  void run();
  bool assign_next(Slot& slot);
  bool try_assign(Slot& slot);
  void assign(Slot& slot, const EpochCursor::Position& position);
  Slot* take_free_slot();
  void prepare(std::uint64_t epoch);

  SlotRing& ring_;
  EpochCursor& cursor_;
  BatchSchedule& schedule_;
  StageCounters& counters_;
  Dispatcher& dispatcher_;
  std::chrono::nanoseconds choosing_;  ///< a batch's samples, as the last ones took
  std::atomic<bool> stopping_{false};
  std::shared_ptr<InPlace> in_place_;
  std::thread thread_;
};

}  // namespace stoker
