#pragma once

#include <string>

namespace stoker {

/// Returns how many processors cgroup quotas leave this process (rounded up), a large number
/// without a quota. Takes the places of /proc/self/cgroup and of the cgroup mount, for tests.
int cgroup_processors(const std::string& proc_self_cgroup, const std::string& mount);

}  // namespace stoker
