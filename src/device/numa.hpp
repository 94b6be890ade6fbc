#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace stoker {

/// A part of the machine whose processors share memory that is near to them.
struct NumaNode {
  int id = 0;
  std::vector<int> processors;  ///< ascending; empty where the system does not tell
  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

/// Parses the kernel's list of numbers ("0-3,8,10-11"); nothing where the text is no such list.
/// Source: Linux, Documentation/admin-guide/cputopology.rst, "cpulist" format.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// Returns the nodes that have processors, by ascending id, as the kernel shows them in that folder
/// (node0/cpulist, node1/cpulist, ...). Memory-only nodes are left out. Where the folder is missing
/// or cannot be read: one node with no processors named. Never empty.
std::vector<NumaNode> numa_nodes(const std::filesystem::path& folder = "/sys/devices/system/node");

/// Returns the processors of a node that are among `usable`, where there are other nodes and as
/// many there as `wanted`; none otherwise.
std::vector<int> processors_near(int node, const std::vector<NumaNode>& nodes,
                                 const std::vector<int>& usable, int wanted);

}  // namespace stoker
