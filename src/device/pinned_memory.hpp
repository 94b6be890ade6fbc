#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace stoker {

/// The NUMA node that a CUDA device's PCI slot hangs on; nothing where the system does not tell.
std::optional<int> node_near(int ordinal);

/// Maps host memory whose pages lie on the NUMA node that is nearest to a CUDA device, where the
/// machine has several and says which. @throws Error(out_of_memory)
void* map_near_device(std::size_t bytes, int ordinal);
void unmap(void* memory, std::size_t bytes) noexcept;
/// What is mapped for so many bytes: whole pages.
std::size_t mapped_bytes(std::size_t bytes) noexcept;

/// Says what limits the memory that may be locked: the process's own limit, the machine's memory.
std::string locked_memory_limits();

}  // namespace stoker
