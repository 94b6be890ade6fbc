#pragma once

#include <vector>

namespace stoker {

/// Returns the processors that the calling thread may run on, ascending; empty where the system
/// does not tell.
std::vector<int> usable_processors();

/// Keeps the calling thread on those processors. Returns false where the system refuses.
bool keep_thread_on(const std::vector<int>& processors) noexcept;

}  // namespace stoker
