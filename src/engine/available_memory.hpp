#pragma once

#include <cstddef>
#include <string>

namespace stoker {

/// Returns the bytes of memory that this process can still take: what the system has available, or
/// less by the limit of its cgroup (version 2). A very large number where the system does not tell.
/// Takes the places of /proc/meminfo, /proc/self/cgroup and the cgroup mount, for tests.
std::size_t available_memory(const std::string& meminfo = "/proc/meminfo",
                             const std::string& proc_self_cgroup = "/proc/self/cgroup",
                             const std::string& mount = "/sys/fs/cgroup");

}  // namespace stoker
