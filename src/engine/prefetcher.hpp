#pragma once

#include "src/core/bounded_queue.hpp"
#include "src/engine/batch_stream.hpp"
#include "src/engine/counters.hpp"
#include "src/engine/device_transfer.hpp"
#include "src/engine/slot_ring.hpp"
#include "src/engine/transfer_clock.hpp"

#include <deque>
#include <optional>
#include <thread>
#include <vector>

namespace stoker {

/// Takes full host slots in order, copies each to a device slot on a side stream, and hands the
/// device slots on as soon as the copies are queued: the consumer's stream waits for them, no
/// thread does. Where there is time, a copy is seen to be done before the consumer asks for it; its
/// stream then need not wait. A host slot is free again once its copy has completed; a device slot
/// is overwritten behind the work of the streams that used it. Batches that failed pass through
/// without a copy.
class Prefetcher final : public BatchStream {
 public:
  struct Parameters {
    BatchStream& upstream;  ///< of host slots
    SlotRing& host;
    SlotRing& device;
    EngineCounters& counters;
    const DeviceTransfer& transfer;
    std::size_t device_slots;
    bool threaded;                     ///< off: the work is done by whoever asks for a batch
    std::vector<int> processors = {};  ///< where its thread is kept; empty: anywhere
  };

  explicit Prefetcher(const Parameters& parameters);
  /// The upstream must be closed before, so that the thread ends; copies in flight are waited for.
  ~Prefetcher() override;

  Slot* try_next() override;
  Slot* next(Deadline deadline) override;
  /// Ends waiting on device slots and batches.
  void close() noexcept;

 private:
  void copy_batches();
  void copy_until_closed();
  Slot* next_full();
  Slot* take_target();
  bool has_work_to_see_done() const noexcept { return !in_flight_.empty() || !arriving_.empty(); }
  void see_one_done();
  void note_arrivals();
  void transfer(Slot& full, Slot& target);
  void copy(Slot& from, Slot& to);
  void issue(Slot& from, Slot& to);
  void free_oldest();

  Parameters p_;
  StreamRef stream_;
  TransferClock clock_;
  BoundedQueue<Slot*> ready_;
  std::deque<Slot*> in_flight_;  ///< host slots whose copies are queued, oldest first
  /// A device slot's copy that was not seen to be done.
  struct Arrival {
    Slot* slot;
    std::uint64_t copy;  ///< the slot's number of it: it may have received another since
    bool superseded() const noexcept { return slot->copies != copy; }
  };
  std::deque<Arrival> arriving_;  ///< oldest first
  std::optional<Error> device_failure_;
  std::thread thread_;
};

}  // namespace stoker
