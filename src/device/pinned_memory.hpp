#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stoker {

/// The NUMA node that a CUDA device's PCI slot hangs on; nothing where the system does not tell.
std::optional<int> node_near(int ordinal);

/// Maps host memory whose pages lie on the NUMA node that is nearest to a CUDA device, where the
/// machine has several and says which. @throws Error(out_of_memory)
void* map_near_device(std::size_t bytes, int ordinal);
void unmap(void* memory, std::size_t bytes) noexcept;
/// What is mapped for so many bytes: whole pages.
std::size_t mapped_bytes(std::size_t bytes) noexcept;

/// Says how much memory could not be pinned and why, and what limits it: the process's own limits,
/// the machine's memory.
std::string pinning_failure(std::size_t bytes, std::string_view cause);

}  // namespace stoker
