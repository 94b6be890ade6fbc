#include "samplers/stored_order.hpp"

#include <sys/mman.h>

namespace stoker {

void* allocate_indices(std::size_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes < 2 * huge_page ? line : huge_page;
  if (bytes > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr && rounded > 0) throw std::bad_alloc();
  // Advice only: where the system has no huge pages, small ones do. Not for the end, most of which
  // might go unused.
  if (alignment == huge_page) ::madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
  return memory;
}

}  // namespace stoker
