#pragma once

#include "src/engine/slot_ring.hpp"
#include <stoker/engine/producer.hpp>

#include <string>

namespace stoker {

/// Says which stage the samples of the batches in work are in, and names some that are being read
/// or produced: for a timeout's message.
std::string stuck_samples(SlotRing& ring, const Producer& producer);

}  // namespace stoker
