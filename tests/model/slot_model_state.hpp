#pragma once

#include "src/engine/slot_protocol.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace stoker::model {

using Small = std::uint8_t;

constexpr Small slots = 2;         ///< on the host, and as many on the device
constexpr Small most_samples = 2;  ///< of a batch
constexpr Small most_queued = 4;   ///< batches whose work can be queued on a stream at once

/// Names a batch: its generation and its place there, from 1. 0 is what no batch wrote: poison.
using Tag = std::uint8_t;
constexpr Tag tag_of(Small generation, Small sequence) {
  return static_cast<Tag>(generation * 8 + sequence + 1);
}
constexpr Small generation_of(Tag tag) { return static_cast<Small>((tag - 1) / 8); }
constexpr Small sequence_of(Tag tag) { return static_cast<Small>((tag - 1) % 8); }

/// A first-in first-out queue of bounded length. What is behind its end is zero, so that equal
/// queues are equal bytes.
template <class T, std::size_t capacity>
struct Fifo {
  std::array<T, capacity> items{};
  Small size = 0;

  bool push(T item) {
    if (size == capacity) return false;
    items[size++] = item;
    return true;
  }
  T take(std::size_t at = 0) {
    const T item = items[at];
    --size;
    for (std::size_t i = at; i < size; ++i) items[i] = items[i + 1];
    items[size] = T{};
    return item;
  }
  const T* begin() const { return items.data(); }
  const T* end() const { return items.data() + size; }
  T* begin() { return items.data(); }
  T* end() { return items.data() + size; }
};

/// The events: a mark each, of its latest record.
enum class Event : std::uint8_t { host_copied, device_copied = slots, used = 2 * slots };
constexpr std::size_t events = 3 * slots;
constexpr Small event_of(Event kind, Small slot) {
  return static_cast<Small>(static_cast<Small>(kind) + slot);
}

enum class Work : std::uint8_t { wait, copy, copy_rest, finish, record, kernel };

/// Work that is queued on a stream.
struct Operation {
  Work work{};
  Small from = 0;  ///< copy: the host slot; wait and record: the event
  Small to = 0;    ///< copy, finish, kernel: the device slot; wait: marks still to be reached
  Tag tag = 0;     ///< copy, finish, kernel: the batch
};

using Stream = Fifo<Operation, 3 * most_queued>;

/// Where threads sleep.
enum class WaitAt : std::uint8_t {
  nowhere,
  free_host,
  tasks,
  completed,
  free_device,
  ready,
  released,
};

/// What a thread does next; each thread uses some of these.
enum class Next : std::uint8_t {
  take_slot,    // scheduler
  assign,       // scheduler
  dispatch,     // scheduler
  take_task,    // worker
  produce,      // worker
  follow,       // collector, on the prefetcher's or the consumer's thread
  look,         // collector
  accept,       // collector
  see_done,     // prefetcher
  note,         // prefetcher
  take_target,  // prefetcher
  transfer,     // prefetcher
  ask,          // consumer
  make_room,    // consumer
  pop_ready,    // consumer
  receive,      // consumer
  part_with,    // consumer
  release,      // consumer, releaser
  count_down,   // consumer, releaser
  restart,      // consumer
  done,         // consumer
};

struct Thread {
  Next next{};
  Small slot = 0;  ///< that it works on
  /// Scheduler, workers: sample; prefetcher: device slot or, while it sees copies done, whether it
  /// has a batch.
  Small second = 0;
  WaitAt asleep = WaitAt::nowhere;
  // A hand-over under way: the change of the queue, then the wake-up.
  WaitAt hands_to = WaitAt::nowhere;
  Small item = 0;
  Small halves_left = 0;
};

struct HostSlot {
  SlotState state = SlotState::free;
  Tag tag = 0;
  Small pending = 0;
  std::array<Tag, most_samples> content{};  ///< which batch each sample in memory belongs to
};

struct DeviceSlot {
  SlotState state = SlotState::free;
  Tag tag = 0;
  Small used = 0;      ///< whether the next copy has to wait for the mark of its use
  Small arrived = 0;   ///< whether the prefetcher saw the copy done
  Small finished = 0;  ///< whether what the device does behind the copy is done
  std::array<Tag, most_samples> content{};
};

/// A device slot's copy that the prefetcher did not see done yet.
struct Arrival {
  Small slot = 0;
  Tag copy = 0;  ///< of the batch that it brings
};

enum class Actor : std::uint8_t {
  scheduler,
  worker,
  second_worker,
  prefetcher,
  consumer,
  releaser,
  copy_stream,
  consumer_stream,
};
constexpr std::size_t threads = 6;

/// Everything that the engine's threads and the two streams know.
struct SlotModelState {
  std::array<Thread, threads> thread{};
  std::array<HostSlot, slots> host{};
  std::array<DeviceSlot, slots> device{};
  std::array<Small, events> unreached{};  ///< records of each event that are queued
  Fifo<Small, slots> free_host, completed, free_device, ready;
  Fifo<Small, slots * most_samples> tasks;
  Fifo<Small, slots> early;           ///< collector: complete, but not the next to deliver
  Fifo<Small, slots> in_flight;       ///< prefetcher: host slots whose copies are queued
  Fifo<Arrival, slots + 1> arriving;  ///< prefetcher, oldest first
  Small collector_generation = 0;
  Small collected = 0;  ///< by the collector, in its generation
  Small generation = 0;
  Small cursor_generation = 0;
  Small cursor = 0;     ///< the next batch to assign
  Small delivered = 0;  ///< in the generation
  Small held = 0;
  Small lent = 0;  ///< to the releaser: a bit a slot
  Stream copy_stream;
  Stream consumer_stream;
};

inline Thread& thread_of(SlotModelState& s, Actor actor) {
  return s.thread[static_cast<std::size_t>(actor)];
}
inline const Thread& thread_of(const SlotModelState& s, Actor actor) {
  return s.thread[static_cast<std::size_t>(actor)];
}

}  // namespace stoker::model
