#pragma once

#include "src/engine/batch_schedule.hpp"
#include "src/engine/epoch_cursor.hpp"
#include "src/engine/slot_ring.hpp"

namespace stoker {

/// Makes a free slot the place of the batch at `position`: from here on it is filling. What the
/// sampler or the device throws becomes the batch's failure.
void assign_batch(Slot& slot, const EpochCursor::Position& position, SlotRing& ring,
                  BatchSchedule& schedule);

}  // namespace stoker
