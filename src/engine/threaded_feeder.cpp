#include "src/engine/threaded_feeder.hpp"

#include "src/engine/thread_affinity.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <optional>

namespace stoker {
namespace {

constexpr std::size_t read_queue_capacity = 1024;
/// Encoded samples that may wait for each worker, so that it need not wait for a reader.
constexpr std::size_t samples_ahead_per_worker = 4;
constexpr std::size_t ranges_ahead_per_worker = 16;
/// How long a task of tiny samples should run: long against handing it over and waking a worker,
/// short against what users call slow.
constexpr std::uint64_t range_nanoseconds = 100'000;
/// And how long it may where a large batch would otherwise be cut into more pieces than workers
/// need to share it evenly.
constexpr std::uint64_t longest_range_nanoseconds = 300'000;
constexpr std::uint64_t ranges_per_worker = 4;

}  // namespace

template <class T>
ThreadedFeeder::TaskPool<T>::TaskPool(std::size_t count, ThreadedFeeder* feeder) : free(count + 1) {
  for (std::size_t i = 0; i < count; ++i) {
    tasks.push_back(std::make_unique<T>());
    tasks.back()->feeder = feeder;
    free.try_push(tasks.back().get());
  }
}

ThreadedFeeder::ThreadedFeeder(const Parameters& parameters)
    : p_(parameters),
      to_read_(p_.num_readers > 0 ? read_queue_capacity : 1),
      completed_(p_.slots + 1),  // one may be grown
      sample_tasks_(p_.num_readers > 0 ? static_cast<std::size_t>(p_.num_readers) +
                                             samples_ahead_per_worker *
                                                 static_cast<std::size_t>(p_.executor.num_workers())
                                       : 0,
                    this),
      range_tasks_(p_.num_readers > 0 ? 0
                                      : ranges_ahead_per_worker *
                                            static_cast<std::size_t>(p_.executor.num_workers()),
                   this),
      encoded_(p_.max_encoded_bytes),
      most_kept_storage_(p_.max_encoded_bytes /
                         std::max<std::size_t>(1, sample_tasks_.tasks.size())),
      scheduler_(std::make_unique<Scheduler>(p_.ring, p_.cursor, p_.schedule, p_.counters.schedule,
                                             static_cast<Dispatcher&>(*this))) {
  for (int i = 0; i < p_.num_readers; ++i) {
    readers_.emplace_back([this] {
      begin_thread("stoker-read", p_.processors);
      read_samples();
    });
  }
  scheduler_->start(p_.num_readers == 0, p_.processors);
}

void ThreadedFeeder::close() noexcept {
  stopping_.store(true, std::memory_order_release);
  scheduler_->stop();
  p_.cursor.close();
  p_.ring.close();
  to_read_.close();
  encoded_.close();
  sample_tasks_.free.close();
  range_tasks_.free.close();
  completed_.close();
}

ThreadedFeeder::~ThreadedFeeder() {
  close();
  scheduler_.reset();
  for (std::thread& reader : readers_) reader.join();
  running_.drain();
}

bool ThreadedFeeder::obsolete(const Slot& slot) const noexcept {
  return stopping_.load(std::memory_order_relaxed) ||
         slot.info.generation != p_.generation.load(std::memory_order_relaxed);
}

/// Whether a batch is one task, and there is room for it.
bool ThreadedFeeder::is_little_work() const noexcept {
  const std::size_t count = p_.ring.layout().batch_size();
  return range_tasks_.free.size() > 0 && p_.counters.produce.items.get() > 0 &&
         range_length(count) == count;
}

void ThreadedFeeder::dispatch(Slot& slot) {
  if (slot.info.failure) {
    slot.pending.store(1, std::memory_order_relaxed);
    finish(slot, 1);
  } else if (p_.num_readers > 0) {
    dispatch_to_readers(slot);
  } else {
    dispatch_to_workers(slot);
  }
}

void ThreadedFeeder::dispatch_to_readers(Slot& slot) {
  // Behind its last sample the slot is no longer the scheduler's: it may be delivered and gone.
  const std::size_t count = slot.info.count;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!to_read_.push({&slot, i, 0})) return;
  }
}

/// Nanoseconds that a sample has taken on average, at least 1.
std::uint64_t ThreadedFeeder::produce_cost() const noexcept {
  const std::uint64_t produced = std::max<std::uint64_t>(1, p_.counters.produce.items.get());
  return std::max<std::uint64_t>(1, p_.counters.produce.busy.get() / produced);
}

/// Ranges long enough to be worth a task, short enough to spread a batch over all workers.
std::uint32_t ThreadedFeeder::range_length(std::size_t count) const noexcept {
  const std::uint64_t cost = produce_cost();
  const std::uint64_t pieces =
      ranges_per_worker * static_cast<std::uint64_t>(p_.executor.num_workers());
  const std::uint64_t even =
      std::min((count + pieces - 1) / pieces, longest_range_nanoseconds / cost);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::max(range_nanoseconds / cost, even), 1, count));
}

void ThreadedFeeder::dispatch_to_workers(Slot& slot) {
  const auto count = static_cast<std::uint32_t>(slot.info.count);
  const std::uint32_t copied = copy_in_place(slot);
  const std::uint32_t length = range_length(count);
  for (std::uint32_t begin = copied; begin < count; begin += length) {
    const std::optional<RangeTask*> task = range_tasks_.free.pop();
    if (!task) return;
    (*task)->slot = &slot;
    (*task)->begin = begin;
    (*task)->end = std::min(begin + length, count);
    submit(**task, (*task)->end - begin);
  }
}

/// Copies a batch's samples here and now, where that is as little work as waking a worker and no
/// code of the user's. Returns how many; behind all of them the slot is no longer the caller's.
std::uint32_t ThreadedFeeder::copy_in_place(Slot& slot) {
  const auto count = static_cast<std::uint32_t>(slot.info.count);
  const std::chrono::nanoseconds expected(static_cast<std::int64_t>(count * produce_cost()));
  if (p_.counters.produce.items.get() == 0 || expected > in_place_time || p_.producer.may_block()) {
    return 0;
  }
  const Timer timer;
  const std::uint32_t copied = p_.filler.copy(slot, 0, count);
  if (copied == 0) return 0;
  p_.counters.produce.busy.add(timer.elapsed());
  p_.counters.produce.items.add(copied);
  finish(slot, copied);
  return copied;
}

void ThreadedFeeder::read_samples() {
  for (;;) {
    Timer timer;
    const std::optional<SampleRef> ref = to_read_.pop();
    if (!ref) return;
    p_.counters.read.blocked_on_input.add(timer.lap());
    const std::optional<SampleTask*> task = sample_tasks_.free.pop();
    if (!task) return;
    encoded_.wait_for_room();
    p_.counters.read.blocked_on_output.add(timer.lap());
    read_one(*ref, **task);
    p_.counters.read.busy.add(timer.lap());
  }
}

void ThreadedFeeder::read_one(SampleRef ref, SampleTask& task) {
  task.ref = ref;
  const bool read = !obsolete(*ref.slot) && p_.filler.read(task.ref, task.sample);
  // Counted before it is handed on: whoever holds the batch finds all of it counted.
  p_.counters.read.items.add();
  if (!read) {
    sample_tasks_.free.try_push(&task);
    finish(*ref.slot, 1);
    return;
  }
  encoded_.add(task.sample.bytes.size());
  submit(task, 1);
}

void ThreadedFeeder::submit(Task& task, std::size_t samples) {
  running_.started();
  queued_samples_.add(samples);
  p_.executor.submit(task);
}

void ThreadedFeeder::run(SampleTask& task) noexcept {
  Slot& slot = *task.ref.slot;
  const std::size_t bytes = task.sample.bytes.size();
  queued_samples_.remove(1);
  const Timer timer;
  if (!obsolete(slot)) p_.filler.produce(task.ref, task.sample);
  p_.counters.produce.busy.add(timer.elapsed());
  p_.counters.produce.items.add();
  if (task.sample.storage.capacity() > most_kept_storage_) task.sample.storage = {};
  sample_tasks_.free.try_push(&task);
  encoded_.remove(bytes);
  finish(slot, 1);
  running_.finished();
}

void ThreadedFeeder::run(RangeTask& task) noexcept {
  Slot& slot = *task.slot;
  const std::size_t count = task.end - task.begin;
  queued_samples_.remove(count);
  const Timer timer;
  std::uint32_t first = task.begin;
  if (!obsolete(slot)) first = p_.filler.copy(slot, first, task.end);
  for (std::uint32_t i = first; i < task.end && !obsolete(slot); ++i) {
    SampleRef ref{&slot, i, 0};
    if (p_.filler.read(ref, task.sample)) p_.filler.produce(ref, task.sample);
  }
  p_.counters.produce.busy.add(timer.elapsed());
  p_.counters.produce.items.add(count);
  range_tasks_.free.try_push(&task);
  finish(slot, count);
  running_.finished();
}

void ThreadedFeeder::finish(Slot& slot, std::size_t samples) noexcept {
  if (slot.pending.fetch_sub(samples, std::memory_order_acq_rel) != samples) return;
  slot.state.move(SlotState::filling, SlotState::full);
  [[maybe_unused]] const bool added = completed_.try_push(&slot);
  assert(added || completed_.closed());
}

}  // namespace stoker
