#include "src/engine/collector.hpp"

#include <algorithm>

namespace stoker {

Collector::Collector(BoundedQueue<Slot*>& completed, SlotRing& ring, Delivery delivery,
                     std::uint64_t batches_per_epoch, const std::atomic<std::uint64_t>& generation)
    : completed_(completed),
      ring_(ring),
      delivery_(delivery),
      batches_per_epoch_(std::max<std::uint64_t>(batches_per_epoch, 1)),
      current_generation_(generation) {
  early_.reserve(completed.capacity());
}

void Collector::follow_generation() {
  const std::uint64_t current = current_generation_.load(std::memory_order_acquire);
  if (current == generation_) return;
  generation_ = current;
  delivered_ = 0;
  for (Slot* slot : early_) drop(*slot);
  early_.clear();
}

bool Collector::wanted(const Slot& slot) const {
  const std::uint64_t sequence = slot.info.sequence;
  return delivery_ == Delivery::in_order
             ? sequence == delivered_
             : sequence / batches_per_epoch_ == delivered_ / batches_per_epoch_;
}

Slot* Collector::take_early() {
  const auto found = std::ranges::find_if(early_, [this](Slot* slot) { return wanted(*slot); });
  if (found == early_.end()) return nullptr;
  Slot* slot = *found;
  early_.erase(found);
  ++delivered_;
  return slot;
}

/// Returns the slot if it is the next to deliver, sets it aside or drops it otherwise.
Slot* Collector::accept(Slot& slot) {
  if (slot.info.generation != generation_) {
    drop(slot);
    return nullptr;
  }
  if (!wanted(slot)) {
    early_.push_back(&slot);
    return nullptr;
  }
  ++delivered_;
  return &slot;
}

void Collector::drop(Slot& slot) {
  slot.state.move(SlotState::full, SlotState::free);
  ring_.put(slot);
}

Slot* Collector::try_next() {
  follow_generation();
  if (Slot* slot = take_early()) return slot;
  while (const std::optional<Slot*> completed = completed_.try_pop()) {
    follow_generation();  // the batch may be of a newer one than the last look saw
    if (Slot* slot = accept(**completed)) return slot;
  }
  return nullptr;
}

Slot* Collector::next(Deadline deadline) {
  for (;;) {
    follow_generation();
    if (Slot* slot = take_early()) return slot;
    const std::optional<Slot*> completed = completed_.pop(deadline);
    if (!completed) return nullptr;
    follow_generation();
    if (Slot* slot = accept(**completed)) return slot;
  }
}

}  // namespace stoker
