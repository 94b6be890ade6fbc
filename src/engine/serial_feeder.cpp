#include "src/engine/serial_feeder.hpp"

namespace stoker {

Slot* SerialFeeder::try_next() {
  Slot* slot = p_.ring.try_take();
  if (slot == nullptr) return nullptr;
  const std::optional<EpochCursor::Position> position = p_.cursor.try_next();
  if (!position) {
    p_.ring.put(*slot);
    return nullptr;
  }
  assign_batch(*slot, *position, p_.ring, p_.schedule);
  p_.counters.schedule.items.add();
  fill(*slot);
  slot->state.move(SlotState::filling, SlotState::full);
  return slot;
}

void SerialFeeder::fill(Slot& slot) {
  Timer timer;
  const std::uint32_t first = p_.filler.copy(slot, 0, static_cast<std::uint32_t>(slot.info.count));
  p_.counters.produce.busy.add(timer.lap());
  p_.counters.produce.items.add(first);
  for (std::uint32_t i = first; i < slot.info.count; ++i) {
    SampleRef ref{&slot, i, 0};
    timer.lap();
    const bool read = p_.filler.read(ref, sample_);
    p_.counters.read.busy.add(timer.lap());
    p_.counters.read.items.add();
    if (!read) continue;
    p_.filler.produce(ref, sample_);
    p_.counters.produce.busy.add(timer.lap());
    p_.counters.produce.items.add();
  }
}

}  // namespace stoker
