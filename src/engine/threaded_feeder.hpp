#pragma once

#include "src/core/bounded_queue.hpp"
#include "src/engine/byte_budget.hpp"
#include "src/engine/counters.hpp"
#include "src/engine/executor.hpp"
#include "src/engine/queued_time.hpp"
#include "src/engine/sample_filler.hpp"
#include "src/engine/scheduler.hpp"
#include "src/engine/slot_ring.hpp"
#include "src/engine/task_tracker.hpp"
#include <stoker/engine/producer.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace stoker {

/// Fills the ring's free slots with the batches that the cursor names:
///   scheduler thread ── samples ─► reader threads ── encoded samples ─► workers ── full slots ─►
///   completed
/// For producers in memory the scheduler hands ranges of samples straight to the workers; where a
/// batch is so little work that it makes one task, so does the thread that releases a slot, in the
/// scheduler's place and without waking it; and what is copied sooner than a worker wakes, either
/// of them copies itself. Owns the scheduler and the readers; the workers are the executor's.
class ThreadedFeeder final : private Dispatcher {
 public:
  struct Parameters {
    const Producer& producer;
    SlotRing& ring;
    EpochCursor& cursor;
    BatchSchedule& schedule;
    const SampleFiller& filler;
    Executor& executor;
    EngineCounters& counters;
    const std::atomic<std::uint64_t>& generation;
    std::size_t slots;
    int num_readers;
    std::size_t max_encoded_bytes;
    std::vector<int> processors = {};  ///< where its threads are kept; empty: anywhere
  };

  explicit ThreadedFeeder(const Parameters& parameters);
  /// Waits for running reads and tasks; queued ones do nothing.
  ~ThreadedFeeder();
  /// Ends all waiting, without waiting for anything.
  void close() noexcept;

  /// Full slots, in the order in which they were completed.
  BoundedQueue<Slot*>& completed() noexcept { return completed_; }
  std::size_t queued_reads() const noexcept { return to_read_.size(); }
  /// Samples that wait for a worker.
  QueuedTime& queued_samples() noexcept { return queued_samples_; }

 private:
  /// Produces one sample that a reader has read.
  struct SampleTask final : Task {
    void run() noexcept override { feeder->run(*this); }
    ThreadedFeeder* feeder = nullptr;
    SampleRef ref{};
    EncodedSample sample;
  };
  /// Reads and produces a range of samples in memory.
  struct RangeTask final : Task {
    void run() noexcept override { feeder->run(*this); }
    ThreadedFeeder* feeder = nullptr;
    Slot* slot = nullptr;
    std::uint32_t begin = 0, end = 0;
    EncodedSample sample;
  };
  /// Tasks made once and used again and again.
  template <class T>
  struct TaskPool {
    TaskPool(std::size_t count, ThreadedFeeder* feeder);
    std::vector<std::unique_ptr<T>> tasks;
    BoundedQueue<T*> free;
  };

  void dispatch(Slot& slot) override;
  bool is_little_work() const noexcept override;
  void dispatch_to_readers(Slot& slot);
  void dispatch_to_workers(Slot& slot);
  std::uint32_t copy_in_place(Slot& slot);
  std::uint64_t produce_cost() const noexcept;
  std::uint32_t range_length(std::size_t count) const noexcept;

  void read_samples();
  void read_one(SampleRef ref, SampleTask& task);

  void submit(Task& task, std::size_t samples);
  void run(SampleTask& task) noexcept;
  void run(RangeTask& task) noexcept;
  void finish(Slot& slot, std::size_t samples) noexcept;
  bool obsolete(const Slot& slot) const noexcept;

  Parameters p_;
  BoundedQueue<SampleRef> to_read_;
  BoundedQueue<Slot*> completed_;
  TaskPool<SampleTask> sample_tasks_;
  TaskPool<RangeTask> range_tasks_;
  ByteBudget encoded_;
  std::size_t most_kept_storage_;
  QueuedTime queued_samples_;
  std::atomic<bool> stopping_{false};
  TaskTracker running_;
  std::vector<std::thread> readers_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace stoker
