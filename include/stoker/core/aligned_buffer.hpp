#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stoker {

/// Owns bytes aligned to 64. Grows and never shrinks; growing loses the content. Move-only; a
/// moved-from buffer is empty.
class AlignedBuffer {
 public:
  static constexpr std::size_t alignment = 64;

  AlignedBuffer() = default;
  ~AlignedBuffer();
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;

  /// Makes at least `bytes` usable. @throws std::bad_alloc
  void reserve(std::size_t bytes);
  std::uint8_t* data() noexcept { return data_; }
  const std::uint8_t* data() const noexcept { return data_; }
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace stoker
