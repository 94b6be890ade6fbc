#include "src/engine/assign_batch.hpp"

#include <new>

namespace stoker {
namespace {

void order_samples(BatchSchedule& schedule, const EpochCursor::Position& position,
                   BatchInfo& info) {
  const SampleContext context{std::nullopt, "", position.epoch, position.number};
  try {
    schedule.assign(position.epoch, position.number, info);
  } catch (const std::bad_alloc&) {
    info.failure.emplace(ErrorCode::out_of_memory, "memory for the epoch's order", context);
  } catch (const Error& error) {
    info.failure.emplace(error.code(), error.message(), context);
  } catch (const std::exception& error) {
    info.failure.emplace(ErrorCode::user_code,
                         std::string("the sampler threw: ") + error.what(), context);
  }
}

}  // namespace

void assign_batch(Slot& slot, const EpochCursor::Position& position, SlotRing& ring,
                  BatchSchedule& schedule) {
  ring.device().on_reuse(slot.memory, ring.layout().bytes());
  slot.info.generation = position.generation;
  slot.info.sequence = position.sequence;
  order_samples(schedule, position, slot.info);
  for (auto& phase : slot.phases) phase.store(SamplePhase::queued, std::memory_order_relaxed);
  slot.pending.store(slot.info.count, std::memory_order_relaxed);
  slot.state.move(SlotState::free, SlotState::filling);
}

}  // namespace stoker
