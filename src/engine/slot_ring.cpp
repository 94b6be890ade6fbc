#include "src/engine/slot_ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace stoker {
namespace {

/// A slot is grown only while all are held, and freed on its release: at most one grown slot is not
/// held.
constexpr std::size_t grown_and_free = 1;

}  // namespace

SlotRing::SlotRing(DevicePtr device, SlotLayout layout, Place place, std::size_t slots)
    : device_(std::move(device)),
      layout_(std::move(layout)),
      place_(place),
      free_(slots + grown_and_free) {
  try {
    for (std::size_t i = 0; i < slots; ++i) put(add_slot());
  } catch (const Error& error) {
    std::ranges::for_each(slots_, [&](auto& slot) { free_memory(*slot); });
    throw Error(
        error.code(),
        fmt::format("a ring of {} slots of {} bytes in {} memory: {}", slots, layout_.bytes(),
                    place_ == Place::host ? "host" : "device", error.message()));
  }
}

SlotRing::~SlotRing() {
  for (const auto& slot : slots_) free_memory(*slot);
}

Slot& SlotRing::add_slot() {
  void* memory = place_ == Place::host ? device_->allocate_host(layout_.bytes())
                                       : device_->allocate_device(layout_.bytes());
  auto slot = std::make_unique<Slot>(layout_, static_cast<std::byte*>(memory));
  try {
    if (!device_->zero_copy()) slot->copied = device_->create_event();
  } catch (const Error&) {
    give_back(memory);
    throw;
  }
  const std::lock_guard lock(mutex_);
  slots_.push_back(std::move(slot));
  return *slots_.back();
}

/// Waits for the device's work on the slot, then frees it.
void SlotRing::free_memory(Slot& slot) noexcept {
  if (!device_->zero_copy()) {
    wait_for_use(slot);
    for (const EventRef event : slot.used) device_->destroy_event(event);
    device_->destroy_event(slot.copied);
  }
  give_back(slot.memory);
}

void SlotRing::give_back(void* memory) noexcept {
  if (place_ == Place::host) {
    device_->free_host(memory, layout_.bytes());
  } else {
    device_->free_device(memory, layout_.bytes());
  }
}

void SlotRing::wait_for_use(Slot& slot) noexcept {
  try {
    for (std::size_t i = 0; i < slot.used_count; ++i) device_->synchronize(slot.used[i]);
  } catch (const Error& error) {
    fmt::print(stderr, "stoker: a slot is freed on a failed device: {}\n", error.what());
  }
}

Slot* SlotRing::take() {
  const std::optional<Slot*> slot = free_.pop();
  return slot && !free_.closed() ? *slot : nullptr;
}

Slot* SlotRing::try_take() { return free_.try_pop().value_or(nullptr); }

void SlotRing::put(Slot& slot) {
  [[maybe_unused]] const bool added = free_.try_push(&slot);
  assert(added || free_.closed());
}

void SlotRing::hold(Slot& slot, SlotState from) noexcept {
  slot.state.move(from, SlotState::held);
  held_.fetch_add(1, std::memory_order_acq_rel);
}

void SlotRing::mark_use(Slot& slot, std::span<const StreamRef> streams) {
  if (device_->zero_copy()) return;
  while (slot.used.size() < streams.size()) slot.used.push_back(device_->create_event());
  slot.used_count = streams.size();
  for (std::size_t i = 0; i < streams.size(); ++i) device_->record(slot.used[i], streams[i]);
}

void SlotRing::release(Slot& slot, std::span<const StreamRef> streams) noexcept {
  try {
    mark_use(slot, streams);
  } catch (const Error& error) {
    // Without the marks the slot can't be overwritten safely: it stays held, and who waits for a
    // batch is told.
    break_off(error);
    return;
  }
  slot.state.move(SlotState::held, SlotState::free);
  if (const std::unique_ptr<Slot> grown = no_longer_held(slot)) {
    free_memory(*grown);
  } else if (!taker_ || !taker_->take(slot)) {
    put(slot);
  }
  released_.notify_all();
}

/// Counts the slot as no longer held. One that was grown leaves the ring, in the same moment for
/// `all_held`, and is returned.
std::unique_ptr<Slot> SlotRing::no_longer_held(Slot& slot) noexcept {
  const std::lock_guard lock(mutex_);
  held_.fetch_sub(1, std::memory_order_acq_rel);
  if (!slot.grown) return nullptr;
  const auto found = std::ranges::find(slots_, &slot, &std::unique_ptr<Slot>::get);
  std::unique_ptr<Slot> grown = std::move(*found);
  slots_.erase(found);
  return grown;
}

void SlotRing::break_off(const Error& error) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
  }
  close();
  released_.notify_all();
}

std::optional<Error> SlotRing::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::size_t SlotRing::size() const noexcept {
  const std::lock_guard lock(mutex_);
  return slots_.size();
}

bool SlotRing::all_held() const noexcept {
  const std::lock_guard lock(mutex_);
  return held_.load(std::memory_order_acquire) >= slots_.size();
}

void SlotRing::grow() {
  Slot& slot = add_slot();
  slot.grown = true;
  grown_.fetch_add(1, std::memory_order_relaxed);
  put(slot);
}

void SlotRing::touch_from(PageToucher& toucher) {
  for_each([&](Slot& slot) { toucher.add(slot.memory, layout_.bytes()); });
}

}  // namespace stoker
