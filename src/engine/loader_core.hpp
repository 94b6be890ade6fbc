#pragma once

#include "src/engine/batch_schedule.hpp"
#include "src/engine/batch_stream.hpp"
#include "src/engine/collector.hpp"
#include "src/engine/counters.hpp"
#include "src/engine/device_transfer.hpp"
#include "src/engine/epoch_cursor.hpp"
#include "src/engine/fixed_slot.hpp"
#include "src/engine/page_toucher.hpp"
#include "src/engine/prefetcher.hpp"
#include "src/engine/sample_filler.hpp"
#include "src/engine/serial_feeder.hpp"
#include "src/engine/slot_ring.hpp"
#include "src/engine/snapshot_writer.hpp"
#include "src/engine/threaded_feeder.hpp"
#include <stoker/distributed/agreement.hpp>
#include <stoker/engine/loader.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace stoker {

/// The loader's parts and the consumer's side of them:
///   feeder (threads, or serial) ─► collector ─► [prefetcher, with a device] ─► wait_for_batch
class LoaderCore {
 public:
  /// Decides and allocates everything; no batch is in work before `start`.
  LoaderCore(std::shared_ptr<const Producer> producer, LoaderOptions options);
  ~LoaderCore();
  LoaderCore(const LoaderCore&) = delete;
  LoaderCore& operator=(const LoaderCore&) = delete;

  /// Starts the threads.
  void start();

  /// Starts an epoch and returns the ticket with which its batches are asked for.
  std::uint64_t start_epoch(std::uint64_t epoch, bool last);
  /// Batches of the epoch that was started last.
  std::uint64_t steps() const noexcept { return steps_; }
  std::optional<Batch> next(std::uint64_t ticket, StreamRef stream);

  LoaderState state() const;
  /// Checks that a state can be loaded. @throws what Loader::load_state does
  void check(const LoaderState& state) const;
  /// Goes on at a state that was checked.
  void resume(const LoaderState& state);
  /// What the ranks of a run must have in common.
  Statement statement() const;

  std::uint64_t batches_per_epoch() const noexcept { return batches_per_epoch_; }
  const LoaderOptions& options() const noexcept { return options_; }
  /// Of the batches that are delivered.
  const std::vector<FieldSpec>& fields() const noexcept {
    return delivering_ring().layout().fields();
  }
  Stats stats() const;
  void reset_stats();

 private:
  std::chrono::nanoseconds workers_without_work(const Stats& stats) const;
  void prepare_device();
  bool writes_snapshots() const noexcept;
  bool is_next_in_row(std::uint64_t epoch) const;
  bool is_idle() const noexcept;
  void restart(const EpochStart& start, bool last);
  EpochStart place() const;
  void check_in_order(const char* what) const;
  const LoaderState& identity() const;
  void snapshot();
  void snapshot_if_due();
  Slot& wait_for_batch();
  void make_room(Deadline deadline);
  Batch lend(Slot& slot, StreamRef stream);
  Batch lend_fixed(Slot& slot, StreamRef stream);
  Batch lend_from(std::shared_ptr<SlotRing> ring, Slot& slot, StreamRef stream);
  void make_wait(StreamRef stream, Slot& slot);
  void throw_if_broken() const;
  [[noreturn]] void throw_failure(Slot& slot);
  void drop(Slot& slot);
  SlotState state_to_lend() const noexcept {
    return device_ring_ ? SlotState::ready : SlotState::full;
  }
  SlotRing& delivering_ring() const { return device_ring_ ? *device_ring_ : *host_ring_; }

  std::shared_ptr<const Producer> producer_;
  LoaderOptions options_;
  DevicePtr device_;
  EngineCounters counters_;
  std::atomic<std::uint64_t> generation_{0};
  std::unique_ptr<BatchSchedule> schedule_;
  std::uint64_t batches_per_epoch_;
  EpochCursor cursor_;
  std::shared_ptr<SlotRing> host_ring_, device_ring_;
  std::unique_ptr<DeviceTransfer> transfer_;
  std::unique_ptr<FixedSlot> fixed_;    ///< with static_batch
  std::unique_ptr<Executor> executor_;  ///< this loader's share of the workers
  std::unique_ptr<PageToucher> toucher_;
  SampleFiller filler_;
  std::unique_ptr<ThreadedFeeder> feeder_;
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<SerialFeeder> serial_;
  std::unique_ptr<Prefetcher> prefetcher_;
  BatchStream* stream_ = nullptr;
  std::unique_ptr<SnapshotWriter> snapshots_;
  mutable std::optional<LoaderState> identity_;  ///< made once: it may cost a look at each name

  // Where the consumer stands.
  std::uint64_t ticket_ = 0;
  EpochStart start_;         ///< of the epoch in work
  std::uint64_t size_ = 0;   ///< places in that epoch's whole order
  std::uint64_t steps_ = 0;  ///< batches from there to its end
  std::uint64_t taken_ = 0;  ///< of these, how many were delivered or thrown
  bool ended_ = false;       ///< the consumer was told that the epoch is over
  bool started_ = false;
  bool last_ = false;
  std::optional<EpochStart> resume_;  ///< a state was loaded and its epoch not asked for yet
  std::uint64_t since_snapshot_ = 0;  ///< batches
  std::chrono::steady_clock::time_point counting_since_;
};

}  // namespace stoker
