#pragma once

#include "src/engine/batch_schedule.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/engine/loader_state.hpp>

namespace stoker {

/// Returns what tells this run's states from another run's, as a state at the run's beginning.
LoaderState run_identity(const LoaderOptions& options, const Producer& producer,
                         const BatchSchedule& schedule);

/// Checks that a saved state can be continued by the loader whose identity is `here`.
/// @throws Error(bad_state) that says what differs.
void check_continues(const LoaderState& saved, const LoaderState& here,
                     const BatchSchedule& schedule);

}  // namespace stoker
