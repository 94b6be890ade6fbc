#pragma once

#include "src/engine/assign_batch.hpp"
#include "src/engine/batch_stream.hpp"
#include "src/engine/counters.hpp"
#include "src/engine/sample_filler.hpp"

#include <atomic>

namespace stoker {

/// Does all work in the consumer's thread, when a batch is asked for: num_workers = 0, for
/// debugging.
class SerialFeeder final : public BatchStream {
 public:
  struct Parameters {
    SlotRing& ring;
    EpochCursor& cursor;
    BatchSchedule& schedule;
    const SampleFiller& filler;
    EngineCounters& counters;
  };

  explicit SerialFeeder(const Parameters& parameters) : p_(parameters) {}

  /// Null where every slot is held.
  Slot* try_next() override;
  /// Waits for nothing: only a release makes a difference.
  Slot* next(Deadline) override { return try_next(); }

 private:
  void fill(Slot& slot);

  Parameters p_;
  EncodedSample sample_;
};

}  // namespace stoker
