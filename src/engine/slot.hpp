#pragma once

#include "src/engine/ragged_room.hpp"
#include "src/engine/slot_protocol.hpp"
#include <stoker/core/error.hpp>
#include <stoker/device/device.hpp>
#include <stoker/engine/producer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stoker {

/// How far a sample of a batch in work has come, for messages about what is stuck.
enum class SamplePhase : std::uint8_t { queued, reading, read, producing, done };

/// What anybody may see of a sample in work, at any time.
struct SampleWatch {
  std::atomic<SamplePhase> phase{SamplePhase::done};
  std::atomic<std::uint64_t> index{0};

  void enter(SamplePhase next) noexcept { phase.store(next, std::memory_order_relaxed); }
};

/// Which batch a slot holds. Written by the scheduler before the slot is filled; moves along with
/// the data from a host slot to a device slot.
struct BatchInfo {
  std::uint64_t generation = 0;  ///< counts the consumer's changes of mind: older batches are stale
  std::uint64_t sequence = 0;    ///< place in the generation's unbroken row of batches, from 0
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;  ///< in the epoch
  std::size_t count = 0;     ///< places: samples, and padding behind them
  std::size_t samples = 0;
  std::vector<std::uint64_t> indices;
  std::vector<std::uint64_t> positions;
  std::vector<std::uint8_t> valid;
  std::optional<Error> failure;  ///< the batch is thrown, not delivered
};

/// Where the fields of a batch lie in a slot.
class SlotLayout {
 public:
  static constexpr std::size_t max_fields = 64;

  /// Each field begins at a multiple of 256 bytes. @throws Error(invalid_argument) without fields,
  /// with more than max_fields, or where the size overflows.
  SlotLayout(std::vector<FieldSpec> fields, std::size_t batch_size);

  const std::vector<FieldSpec>& fields() const noexcept { return fields_; }
  std::size_t batch_size() const noexcept { return batch_size_; }
  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t offset(std::size_t field) const noexcept { return offsets_[field]; }
  /// Of a fixed field; of a ragged one, what each sample can have at least.
  std::size_t sample_bytes(std::size_t field) const noexcept { return sample_bytes_[field]; }
  bool is_ragged(std::size_t field) const noexcept { return fields_[field].budget != 0; }
  /// The rooms of a slot's ragged fields, by field; one of a fixed field is empty.
  std::vector<RaggedRoom> rooms(std::byte* memory) const;

 private:
  std::vector<FieldSpec> fields_;
  std::size_t batch_size_;
  std::vector<std::size_t> offsets_, sample_bytes_, field_bytes_;
  std::size_t bytes_ = 0;
};

/// Memory for one batch and what is known of it. Belongs to whoever its state says (see
/// slot_protocol.hpp): scheduler and workers while filling, prefetcher or consumer afterwards.
struct Slot {
  Slot(const SlotLayout& layout, std::byte* slot_memory)
      : memory(slot_memory), rooms(layout.rooms(slot_memory)), watches(layout.batch_size()) {
    info.indices.reserve(layout.batch_size());
    info.positions.reserve(layout.batch_size());
    info.valid.reserve(layout.batch_size());
  }

  std::byte* memory;
  std::vector<RaggedRoom> rooms;  ///< of the layout's fields
  BatchInfo info;
  SlotStateCell state;
  bool grown = false;  ///< freed on release instead of used again

  // While filling.
  std::atomic<std::size_t> pending{0};
  std::vector<SampleWatch> watches;  ///< one a place
  std::mutex failure_mutex;
  std::size_t failed_sample = 0;  ///< the first failed one, whichever failed first in time

  // With a device.
  EventRef copied;  ///< the slot's copy is done: from it (host slot), to it (device slot)
  std::vector<EventRef> used;  ///< device slot: marks of the streams that used it
  std::size_t used_count = 0;  ///< how many of them the next copy has to wait for
  /// Device slot: the copy to it was seen to be done, so that no stream need wait for it.
  std::atomic<bool> arrived{false};
  std::uint64_t copies = 0;  ///< device slot: how many it has received; the prefetcher's
};

}  // namespace stoker
