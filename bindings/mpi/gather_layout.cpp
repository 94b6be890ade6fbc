#include "bindings/mpi/gather_layout.hpp"

#include <stoker/core/error.hpp>

#include <limits>

namespace stoker {

GatherLayout gather_layout(const std::vector<std::uint64_t>& sizes) {
  constexpr std::uint64_t limit = std::numeric_limits<int>::max();
  GatherLayout layout;
  for (const std::uint64_t size : sizes) {
    if (size > limit - layout.total)
      throw Error(ErrorCode::unsupported, "the ranks' messages hold more than the " +
                                              std::to_string(limit) + " bytes that MPI counts");
    layout.counts.push_back(static_cast<int>(size));
    layout.offsets.push_back(static_cast<int>(layout.total));
    layout.total += size;
  }
  return layout;
}

std::vector<std::string> split(const std::string& gathered, const GatherLayout& layout) {
  std::vector<std::string> messages;
  for (std::size_t rank = 0; rank < layout.counts.size(); ++rank)
    messages.push_back(gathered.substr(static_cast<std::size_t>(layout.offsets[rank]),
                                       static_cast<std::size_t>(layout.counts[rank])));
  return messages;
}

}  // namespace stoker
