#pragma once

#include <cstddef>

namespace stoker {

/// Copies bytes past the caches, where the processor can: for producers that move large tensors
/// from memory to their place in a batch, which is read next by a device's copy engine and not by
/// this processor. Saves reading the destination first, a third of the memory's traffic. As with
/// memcpy the two must not overlap; what was written is visible to whom the sample is handed on.
void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace stoker
