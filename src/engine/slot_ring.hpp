#pragma once

#include "src/core/bounded_queue.hpp"
#include "src/engine/page_toucher.hpp"
#include "src/engine/slot.hpp"
#include <stoker/device/device.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stoker {

/// Who may take a slot in the moment in which the consumer gives it back.
class SlotTaker {
 public:
  virtual ~SlotTaker() = default;
  /// Takes the slot, which is free and in no list, or leaves it to the free list and returns false.
  /// On the thread that releases it.
  virtual bool take(Slot& slot) noexcept = 0;
};

/// A ring of slots in host or device memory: a free list, so any slot that was released can be used
/// again, whatever the order. Owned by the loader and by every batch that still holds a slot.
/// Thread-safe.
class SlotRing {
 public:
  enum class Place : std::uint8_t { host, device };

  /// Allocates all slots. @throws Error(out_of_memory) that says how much was wanted.
  SlotRing(DevicePtr device, SlotLayout layout, Place place, std::size_t slots);
  ~SlotRing();
  SlotRing(const SlotRing&) = delete;
  SlotRing& operator=(const SlotRing&) = delete;

  const SlotLayout& layout() const noexcept { return layout_; }
  Device& device() const noexcept { return *device_; }

  /// Waits for a free slot and takes it out of the list. Nothing once the ring is closed.
  Slot* take();
  Slot* try_take();
  /// Puts a slot that was not used, or is free again, into the list. Its state must be `free`.
  void put(Slot& slot);

  /// Who is asked first where a slot is released. Set it before any is held.
  void offer_released_to(std::shared_ptr<SlotTaker> taker) { taker_ = std::move(taker); }

  /// Gives back what the consumer held: marks the streams that used it, so that the next copy to it
  /// waits for them, and frees it. On any thread.
  void release(Slot& slot, std::span<const StreamRef> streams) noexcept;
  /// Counts a slot as held by the consumer.
  void hold(Slot& slot, SlotState from) noexcept;

  std::size_t held() const noexcept { return held_.load(std::memory_order_acquire); }
  std::size_t size() const noexcept;
  /// Whether the consumer holds every slot. Only the thread that calls `hold` finds it lasting:
  /// until a slot is released, which others may do at any time.
  bool all_held() const noexcept;
  std::size_t grown() const noexcept { return grown_.load(std::memory_order_relaxed); }
  /// Adds one slot, freed on its release; call it only while all are held. @throws
  /// Error(out_of_memory)
  void grow();

  /// Hands all slots' memory to who touches it. Before any is used.
  void touch_from(PageToucher& toucher);

  /// Why the ring can't go on, if a slot could not be given back.
  std::optional<Error> failure() const;

  /// Ends waiting for free slots.
  void close() noexcept { free_.close(); }

  /// Calls `visit(slot)` for each slot, under the ring's lock.
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard lock(mutex_);
    for (const auto& slot : slots_) visit(*slot);
  }

  /// Wakes when a slot was released.
  WaitPoint& released() noexcept { return released_; }

 private:
  Slot& add_slot();
  void break_off(const Error& error) noexcept;
  void mark_use(Slot& slot, std::span<const StreamRef> streams);
  void free_memory(Slot& slot) noexcept;
  void give_back(void* memory) noexcept;
  void wait_for_use(Slot& slot) noexcept;
  std::unique_ptr<Slot> no_longer_held(Slot& slot) noexcept;

  DevicePtr device_;
  SlotLayout layout_;
  Place place_;
  BoundedQueue<Slot*> free_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<std::size_t> held_{0};
  std::atomic<std::size_t> grown_{0};
  WaitPoint released_;
  std::shared_ptr<SlotTaker> taker_;
  std::optional<Error> failure_;
};

}  // namespace stoker
