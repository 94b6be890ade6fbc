#pragma once

#include "src/engine/slot_ring.hpp"
#include <stoker/device/device.hpp>

#include <memory>
#include <optional>

namespace stoker {

/// The one slot at a fixed address that every batch is copied to, on the consumer's stream, before
/// it is lent: the batch's own slot is given back at once, behind that copy. Work of other streams
/// that used the slot is waited for on the consumer's stream too.
class FixedSlot {
 public:
  /// Allocates the slot, on the device or for the host, as `device` is.
  /// @throws Error(out_of_memory), Error(device_error)
  FixedSlot(const DevicePtr& device, const SlotLayout& layout);

  /// @throws Error(invalid_state) while the slot is held, and its failure where it could not be
  /// given back.
  void require_released() const;

  /// Copies `from`, which was taken from `ring` in the state `state`, and gives it back; returns
  /// the slot, not yet held. Nothing may hold it. @throws Error(device_error), both slots are then
  /// free.
  Slot& receive(Slot& from, SlotState state, SlotRing& ring, StreamRef stream);

  const std::shared_ptr<SlotRing>& ring() const noexcept { return ring_; }

 private:
  void copy(const Slot& from, Slot& to, StreamRef stream);

  std::shared_ptr<SlotRing> ring_;
};

}  // namespace stoker
