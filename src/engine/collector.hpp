#pragma once

#include "src/core/bounded_queue.hpp"
#include "src/engine/batch_stream.hpp"
#include "src/engine/slot_ring.hpp"
#include <stoker/engine/loader.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

namespace stoker {

/// Puts complete batches in order: takes them as workers complete them, sets aside those that are
/// early, and gives slots of older generations back. With Delivery::as_completed only the epochs
/// keep their order.
class Collector final : public BatchStream {
 public:
  /// `generation` is the one to deliver; a change of it starts again at its batch 0.
  Collector(BoundedQueue<Slot*>& completed, SlotRing& ring, Delivery delivery,
            std::uint64_t batches_per_epoch, const std::atomic<std::uint64_t>& generation);

  Slot* try_next() override;
  Slot* next(Deadline deadline) override;

 private:
  void follow_generation();
  bool wanted(const Slot& slot) const;
  Slot* take_early();
  Slot* accept(Slot& slot);
  void drop(Slot& slot);

  BoundedQueue<Slot*>& completed_;
  SlotRing& ring_;
  Delivery delivery_;
  std::uint64_t batches_per_epoch_;
  const std::atomic<std::uint64_t>& current_generation_;
  std::uint64_t generation_ = 0;
  std::uint64_t delivered_ = 0;  ///< in this generation
  std::vector<Slot*> early_;
};

}  // namespace stoker
