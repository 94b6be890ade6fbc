#pragma once

#include "src/engine/slot_ring.hpp"
#include <stoker/engine/batch.hpp>
#include <stoker/engine/producer.hpp>

#include <memory>
#include <vector>

namespace stoker {

/// What a Batch holds: its slot, and what it needs to give it back after the loader is gone.
struct BatchLease {
  std::shared_ptr<SlotRing> ring;
  std::shared_ptr<const Producer> producer;
  Slot* slot = nullptr;
  std::vector<StreamRef> streams;  ///< of the consumer, whose work uses the batch
};

}  // namespace stoker
