#pragma once

#include "src/core/wait_point.hpp"
#include "src/engine/slot.hpp"

namespace stoker {

/// Where complete batches come from, in the order of delivery. One thread at a time asks.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  /// Returns the next batch's slot (full, or ready on a device), or null if there is none yet.
  virtual Slot* try_next() = 0;
  /// The same, waiting; null at the deadline and once the stream is closed.
  virtual Slot* next(Deadline deadline) = 0;
};

}  // namespace stoker
