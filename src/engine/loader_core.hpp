#pragma once

#include "src/engine/batch_schedule.hpp"
#include "src/engine/batch_stream.hpp"
#include "src/engine/collector.hpp"
#include "src/engine/counters.hpp"
#include "src/engine/prefetcher.hpp"
#include "src/engine/sample_filler.hpp"
#include "src/engine/serial_feeder.hpp"
#include "src/engine/slot_ring.hpp"
#include "src/engine/threaded_feeder.hpp"
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
  LoaderCore(std::shared_ptr<const Producer> producer, LoaderOptions options);
  ~LoaderCore();
  LoaderCore(const LoaderCore&) = delete;
  LoaderCore& operator=(const LoaderCore&) = delete;

  /// Starts an epoch and returns the ticket with which its batches are asked for.
  std::uint64_t start_epoch(std::uint64_t epoch, bool last);
  std::optional<Batch> next(std::uint64_t ticket, StreamRef stream);

  std::uint64_t batches_per_epoch() const noexcept { return schedule_.batches_per_epoch(); }
  const LoaderOptions& options() const noexcept { return options_; }
  const std::vector<FieldSpec>& fields() const noexcept { return producer_->fields(); }
  Stats stats() const;
  void reset_stats();

 private:
  void start_threads();
  void restart(std::uint64_t epoch, bool last);
  Slot& wait_for_batch();
  void make_room(Deadline deadline);
  Batch lend(Slot& slot, StreamRef stream);
  void make_wait(StreamRef stream, Slot& slot);
  void throw_if_broken() const;
  [[noreturn]] void throw_failure(Slot& slot);
  void drop(Slot& slot);
  std::string what_is_stuck();
  SlotRing& delivering_ring() const { return device_ring_ ? *device_ring_ : *host_ring_; }

  std::shared_ptr<const Producer> producer_;
  LoaderOptions options_;
  DevicePtr device_;
  EngineCounters counters_;
  std::atomic<std::uint64_t> generation_{0};
  BatchSchedule schedule_;
  EpochCursor cursor_;
  std::shared_ptr<SlotRing> host_ring_, device_ring_;
  SampleFiller filler_;
  std::unique_ptr<ThreadedFeeder> feeder_;
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<SerialFeeder> serial_;
  std::unique_ptr<Prefetcher> prefetcher_;
  BatchStream* stream_ = nullptr;

  // Where the consumer stands.
  std::uint64_t ticket_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t taken_ = 0;  ///< batches of this epoch that were delivered or thrown
  bool started_ = false;
  bool last_ = false;
  std::chrono::steady_clock::time_point counting_since_;
};

}  // namespace stoker
