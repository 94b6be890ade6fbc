// Stands in for src/engine/slot_protocol.cpp in the program it is linked into: the same table and
// the same rule, and it writes down what was done.
#include "tests/model/recorded_transitions.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>

namespace stoker {
namespace {

std::array<std::atomic<bool>, slot_transitions.size()> recorded;

void record(SlotState from, SlotState to) {
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    if (slot_transitions[i].from == from && slot_transitions[i].to == to) recorded[i].store(true);
  }
}

}  // namespace

std::string_view name(SlotState state) noexcept {
  constexpr std::array<std::string_view, 6> names{"free",    "filling", "full",
                                                  "copying", "ready",   "held"};
  return names[static_cast<std::size_t>(state)];
}

void SlotStateCell::move(SlotState from, SlotState to) noexcept {
  SlotState found = from;
  if (allowed(from, to) && state_.compare_exchange_strong(found, to, std::memory_order_acq_rel)) {
    record(from, to);
    return;
  }
  fmt::print(stderr, "{} -> {} while {}\n", name(from), name(to), name(found));
  std::abort();
}

namespace model {

std::vector<SlotTransition> take_recorded_transitions() {
  std::vector<SlotTransition> taken;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    if (recorded[i].exchange(false)) taken.push_back(slot_transitions[i]);
  }
  return taken;
}

}  // namespace model
}  // namespace stoker
