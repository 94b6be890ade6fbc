#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace stoker {

/// The blocks of memory of a simulated device, host and device apart. Filled with poison when they
/// are allocated and freed. Not thread-safe.
class SimulatedMemory {
 public:
  enum class Space : std::uint8_t { host, device };
  static constexpr std::size_t alignment = 256;

  explicit SimulatedMemory(std::uint8_t poison) : poison_(poison) {}

  /// @throws std::bad_alloc
  void* allocate(Space space, std::size_t bytes);
  /// Takes a block away; its memory stays, poisoned, until `bury`. Returns false unless it is the
  /// start of a living block of that space and size.
  bool free(Space space, void* memory, std::size_t bytes) noexcept;
  /// Gives freed memory back; no queued work may use it any more.
  void bury() noexcept { freed_.clear(); }

  /// Returns whether the whole range lies in one living block of that space.
  bool contains(Space space, const void* memory, std::size_t bytes) const;
  void poison(void* memory, std::size_t bytes) const noexcept;
  std::size_t count(Space space) const noexcept { return blocks(space).size(); }

 private:
  struct Deleter {
    void operator()(std::byte* memory) const noexcept;
  };
  struct Block {
    std::unique_ptr<std::byte[], Deleter> memory;
    std::size_t bytes;
  };
  using Blocks = std::map<std::uintptr_t, Block>;

  Blocks& blocks(Space space) noexcept { return space == Space::host ? host_ : device_; }
  const Blocks& blocks(Space space) const noexcept {
    return space == Space::host ? host_ : device_;
  }

  std::uint8_t poison_;
  Blocks host_;
  Blocks device_;
  std::vector<Block> freed_;
};

/// Returns a pointer's number, for comparing addresses of different blocks.
inline std::uintptr_t address(const void* memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory);
}

}  // namespace stoker
