#include "src/device/simulated_memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace stoker {

void SimulatedMemory::Deleter::operator()(std::byte* memory) const noexcept {
  ::operator delete[](memory, std::align_val_t{alignment});
}

void* SimulatedMemory::allocate(Space space, std::size_t bytes) {
  const std::size_t usable = std::max<std::size_t>(bytes, 1);
  auto* memory = static_cast<std::byte*>(::operator new[](usable, std::align_val_t{alignment}));
  Block block{std::unique_ptr<std::byte[], Deleter>(memory), bytes};
  poison(memory, bytes);
  blocks(space).emplace(address(memory), std::move(block));
  return memory;
}

bool SimulatedMemory::free(Space space, void* memory, std::size_t bytes) noexcept {
  Blocks& living = blocks(space);
  const auto found = living.find(address(memory));
  if (found == living.end() || found->second.bytes != bytes) return false;
  poison(memory, bytes);
  freed_.push_back(std::move(found->second));
  living.erase(found);
  return true;
}

bool SimulatedMemory::contains(Space space, const void* memory, std::size_t bytes) const {
  const Blocks& living = blocks(space);
  auto next = living.upper_bound(address(memory));
  if (next == living.begin()) return false;
  const auto& [start, block] = *--next;
  const std::uintptr_t offset = address(memory) - start;
  return offset <= block.bytes && bytes <= block.bytes - offset;
}

void SimulatedMemory::poison(void* memory, std::size_t bytes) const noexcept {
  if (bytes != 0) std::memset(memory, poison_, bytes);
}

}  // namespace stoker
