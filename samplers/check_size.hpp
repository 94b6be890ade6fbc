#pragma once

#include <cstdint>

namespace stoker {

/// Refuses what no KeyedPermutation can shuffle. @throws Error(empty_source) where `size` is 0,
/// Error(invalid_argument) where it is beyond KeyedPermutation::max_size.
void check_size(std::uint64_t size);

}  // namespace stoker
