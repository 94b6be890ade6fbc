#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

/// Where each rank's bytes lie in what MPI_Allgatherv fills.
struct GatherLayout {
  std::vector<int> counts;
  std::vector<int> offsets;
  std::size_t total = 0;
};

/// Lays out messages of these sizes one behind the other. @throws Error(unsupported) where they are
/// more bytes than an int counts.
GatherLayout gather_layout(const std::vector<std::uint64_t>& sizes);
/// Cuts the gathered bytes into the ranks' messages.
std::vector<std::string> split(const std::string& gathered, const GatherLayout& layout);

}  // namespace stoker
