#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace stoker {

/// Where a slot is on its way round. A host slot of a loader without a device goes
///   free → filling → full → held → free,
/// one that is copied to a device
///   free → filling → full → copying → free,
/// and the device slot that receives the copy
///   free → copying → ready → held → free,
/// where `free` still carries the consumer's events, which the next copy waits for on its stream.
/// Any state but `copying` and `held` goes back to `free` where a batch is dropped.
enum class SlotState : std::uint8_t { free, filling, full, copying, ready, held };

std::string_view name(SlotState state) noexcept;

/// A transition of the protocol.
struct SlotTransition {
  SlotState from;
  SlotState to;
};

/// All transitions that exist; anything else is a fault of the engine.
inline constexpr std::array slot_transitions{
    SlotTransition{SlotState::free, SlotState::filling},   // scheduler: a batch is assigned
    SlotTransition{SlotState::filling, SlotState::full},   // last worker: the batch is complete
    SlotTransition{SlotState::full, SlotState::held},      // consumer takes it (no device)
    SlotTransition{SlotState::full, SlotState::copying},   // prefetcher issues its copy
    SlotTransition{SlotState::full, SlotState::free},      // dropped: failed or of another epoch
    SlotTransition{SlotState::copying, SlotState::free},   // host slot: the copy has completed
    SlotTransition{SlotState::free, SlotState::copying},   // device slot: prefetcher issues a copy
    SlotTransition{SlotState::copying, SlotState::ready},  // device slot: the copy is queued
    SlotTransition{SlotState::ready, SlotState::held},     // consumer takes it
    SlotTransition{SlotState::ready, SlotState::free},     // dropped: of another epoch
    SlotTransition{SlotState::held, SlotState::free},      // consumer gave it back
};

constexpr bool allowed(SlotState from, SlotState to) noexcept {
  for (const SlotTransition& transition : slot_transitions) {
    if (transition.from == from && transition.to == to) return true;
  }
  return false;
}

/// A slot's state, changed only along the table. Changing it publishes what was written before, and
/// seeing it makes that visible.
class SlotStateCell {
 public:
  SlotState get() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Moves to `to`; ends the process with a message where the table has no such transition, since
  /// memory would be overwritten otherwise.
  void move(SlotState from, SlotState to) noexcept;

 private:
  std::atomic<SlotState> state_{SlotState::free};
};

}  // namespace stoker
