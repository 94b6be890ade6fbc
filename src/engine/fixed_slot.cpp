#include "src/engine/fixed_slot.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace stoker {

FixedSlot::FixedSlot(const DevicePtr& device, const SlotLayout& layout)
    : ring_(std::make_shared<SlotRing>(
          device, layout, device->zero_copy() ? SlotRing::Place::host : SlotRing::Place::device,
          1)) {}

void FixedSlot::require_released() const {
  if (const std::optional<Error> failure = ring_->failure()) throw *failure;
  if (ring_->held() == 0) return;
  throw Error(ErrorCode::invalid_state,
              "static_batch: the next batch was asked for while the one before is held; there is "
              "one address, so release it first");
}

Slot& FixedSlot::receive(Slot& from, SlotState state, SlotRing& ring, StreamRef stream) {
  Slot& to = *ring_->take();
  to.state.move(SlotState::free, SlotState::copying);
  const auto hand_on = [&] {
    to.state.move(SlotState::copying, SlotState::ready);
    ring.hold(from, state);
    ring.release(from, std::array{stream});
  };
  try {
    copy(from, to, stream);
  } catch (const Error&) {
    hand_on();
    to.state.move(SlotState::ready, SlotState::free);
    ring_->put(to);
    throw;
  }
  std::swap(from.info, to.info);
  hand_on();
  return to;
}

void FixedSlot::copy(const Slot& from, Slot& to, StreamRef stream) {
  Device& device = ring_->device();
  const std::size_t bytes = ring_->layout().bytes();
  if (device.zero_copy()) {
    std::memcpy(to.memory, from.memory, bytes);
    return;
  }
  // They stay marked until the next release: where this copy cannot be queued, the next one must
  // wait for them too, and that may be on another stream.
  for (std::size_t i = 0; i < to.used_count; ++i) device.wait(stream, to.used[i]);
  device.wait(stream, from.copied);
  device.copy_on_device(to.memory, from.memory, bytes, stream);
}

}  // namespace stoker
