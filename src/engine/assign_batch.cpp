#include "src/engine/assign_batch.hpp"

#include "src/core/trace_range.hpp"

#include <new>

namespace stoker {
namespace {

void prepare(Slot& slot, const EpochCursor::Position& position, SlotRing& ring,
             BatchSchedule& schedule) {
  BatchInfo& info = slot.info;
  const SampleContext context{std::nullopt, "", info.epoch, info.number};
  try {
    schedule.assign(info.epoch, position.start.from, position.step, info);
    ring.device().on_reuse(slot.memory, ring.layout().bytes());
  } catch (const std::bad_alloc&) {
    info.failure.emplace(ErrorCode::out_of_memory, "memory for the epoch's order", context);
  } catch (const Error& error) {
    info.failure.emplace(error.code(), error.message(), context);
  } catch (const std::exception& error) {
    info.failure.emplace(ErrorCode::user_code, std::string("the sampler threw: ") + error.what(),
                         context);
  } catch (...) {
    info.failure.emplace(ErrorCode::user_code,
                         "the sampler threw something that is no std::exception", context);
  }
}

}  // namespace

void assign_batch(Slot& slot, const EpochCursor::Position& position, SlotRing& ring,
                  BatchSchedule& schedule) {
  const TraceRange range(TraceStage::schedule, position.number());
  slot.info.generation = position.generation;
  slot.info.sequence = position.sequence;
  slot.info.epoch = position.start.epoch;
  slot.info.number = position.number();
  slot.info.failure.reset();
  slot.info.count = slot.info.samples = 0;
  for (RaggedRoom& room : slot.rooms) room.clear();
  prepare(slot, position, ring, schedule);
  for (std::size_t i = 0; i < slot.info.count; ++i) {
    slot.watches[i].index.store(slot.info.indices[i], std::memory_order_relaxed);
    slot.watches[i].enter(SamplePhase::queued);
  }
  slot.pending.store(slot.info.count, std::memory_order_relaxed);
  slot.state.move(SlotState::free, SlotState::filling);
}

}  // namespace stoker
