#pragma once

#include <vector>

namespace stoker {

/// Returns the processors that the calling thread may run on, ascending; empty where the system
/// does not tell.
std::vector<int> usable_processors();

/// Keeps the calling thread on those processors. Returns false where the system refuses.
bool keep_thread_on(const std::vector<int>& processors) noexcept;

/// Begins a thread of the loader's: gives the calling thread its name and keeps it on those
/// processors, if there are any.
void begin_thread(const char* name, const std::vector<int>& processors) noexcept;

/// Leaves the processor `own` out of those that `num_workers` workers may use, where they are just
/// one more than the workers and at least 4: the others can then do without, and it stays free for
/// the thread that runs on it. Otherwise returns them all.
std::vector<int> leaving_one(std::vector<int> processors, int own, int num_workers);

}  // namespace stoker
