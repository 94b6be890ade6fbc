#include "samplers/check_size.hpp"

#include "samplers/keyed_permutation.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

namespace stoker {

void check_size(std::uint64_t size) {
  if (size == 0) throw Error(ErrorCode::empty_source, "there are no samples to put in order");
  if (size <= KeyedPermutation::max_size) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("size is {}; an order can have {} samples at most", size,
                          KeyedPermutation::max_size));
}

}  // namespace stoker
