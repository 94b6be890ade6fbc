#include "src/engine/slot_protocol.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace stoker {

std::string_view name(SlotState state) noexcept {
  constexpr std::array<std::string_view, 6> names{"free",    "filling", "full",
                                                  "copying", "ready",   "held"};
  return names[static_cast<std::size_t>(state)];
}

void SlotStateCell::move(SlotState from, SlotState to) noexcept {
  SlotState found = from;
  if (allowed(from, to) && state_.compare_exchange_strong(found, to, std::memory_order_acq_rel)) {
    return;
  }
  fmt::print(stderr, "stoker: slot protocol broken: {} -> {} while {}\n", name(from), name(to),
             name(found));
  std::abort();
}

}  // namespace stoker
