#include <stoker/core/aligned_buffer.hpp>

#include <new>

namespace stoker {
namespace {

constexpr std::align_val_t align{AlignedBuffer::alignment};

}  // namespace

AlignedBuffer::~AlignedBuffer() { ::operator delete(data_, align); }

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this == &other) return *this;
  ::operator delete(data_, align);
  data_ = std::exchange(other.data_, nullptr);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

void AlignedBuffer::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  ::operator delete(data_, align);
  data_ = nullptr;
  capacity_ = 0;
  data_ = static_cast<std::uint8_t*>(::operator new(bytes, align));
  capacity_ = bytes;
}

}  // namespace stoker
