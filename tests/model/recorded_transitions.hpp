#pragma once

#include "src/engine/slot_protocol.hpp"

#include <vector>

namespace stoker::model {

/// Returns, in the table's order, the transitions that slots of this process have made since the
/// last call.
std::vector<SlotTransition> take_recorded_transitions();

}  // namespace stoker::model
