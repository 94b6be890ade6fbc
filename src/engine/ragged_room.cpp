#include "src/engine/ragged_room.hpp"

#include <stoker/engine/producer.hpp>

#include <algorithm>

namespace stoker {

RaggedRoom::RaggedRoom(std::byte* memory, std::size_t bytes, std::size_t bytes_each,
                       std::size_t samples)
    : memory_(memory),
      bytes_each_(bytes_each),
      extra_(bytes - bytes_each * samples),
      blocks_(samples),
      shared_(std::make_unique<Shared>()) {
  clear();
}

void RaggedRoom::clear() noexcept {
  if (!shared_) return;
  std::ranges::fill(blocks_, Block{});
  shared_->used.store(0, std::memory_order_relaxed);
  shared_->extra.store(extra_, std::memory_order_relaxed);
}

bool RaggedRoom::take_extra(std::size_t bytes) noexcept {
  std::size_t left = shared_->extra.load(std::memory_order_relaxed);
  while (left >= bytes) {
    if (shared_->extra.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

/// A block is never smaller than what each sample can have, so that a replacement finds as much.
std::byte* RaggedRoom::take(std::uint32_t sample, std::size_t bytes) noexcept {
  Block& block = blocks_[sample];
  if (block.bytes == 0 || block.bytes < bytes) {
    const std::size_t wanted = std::max(rounded(bytes), bytes_each_);
    if (wanted < bytes || !take_extra(block.bytes == 0 ? wanted - bytes_each_ : wanted)) {
      return nullptr;
    }
    block = {shared_->used.fetch_add(wanted, std::memory_order_relaxed), wanted};
  }
  return memory_ + block.offset;
}

std::byte* SamplePlace::take(std::size_t field, std::size_t bytes) const noexcept {
  return rooms_[field].take(sample_, bytes);
}

}  // namespace stoker
