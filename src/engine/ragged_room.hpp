#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stoker {

/// The memory of a ragged field in a slot, which the samples of a batch share: each can have so
/// many bytes, whatever the others took; what is left beyond that goes to who asks first. Workers
/// may take at the same time, each for its own sample.
class RaggedRoom {
 public:
  RaggedRoom() = default;
  RaggedRoom(std::byte* memory, std::size_t bytes, std::size_t bytes_each, std::size_t samples);
  RaggedRoom(RaggedRoom&&) noexcept = default;
  RaggedRoom& operator=(RaggedRoom&&) noexcept = default;

  /// Forgets what was taken, before a batch is filled.
  void clear() noexcept;
  /// Takes room for a sample; null where so much is not left. What the sample took before is used
  /// again where it is large enough.
  std::byte* take(std::uint32_t sample, std::size_t bytes) noexcept;
  /// Bytes from the beginning that were taken.
  std::size_t used() const noexcept { return shared_->used.load(std::memory_order_relaxed); }

  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    constexpr std::size_t alignment = 64;
    return (bytes + alignment - 1) / alignment * alignment;
  }

 private:
  struct Block {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  struct Shared {
    std::atomic<std::size_t> used{0};
    std::atomic<std::size_t> extra{0};  ///< left beyond what each sample can have
  };

  bool take_extra(std::size_t bytes) noexcept;

  std::byte* memory_ = nullptr;
  std::size_t bytes_each_ = 0;
  std::size_t extra_ = 0;
  std::vector<Block> blocks_;  ///< by sample
  std::unique_ptr<Shared> shared_;
};

}  // namespace stoker
