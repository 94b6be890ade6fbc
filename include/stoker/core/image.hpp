#pragma once

#include <stoker/core/aligned_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stoker {

/// Height and width in pixels, in PyTorch's order.
struct Size {
  int height = 0;
  int width = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// A rectangle of pixels; may reach outside an image where the callee says so.
struct Rect {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;

  Size size() const noexcept { return {height, width}; }
  int bottom() const noexcept { return top + height; }
  int right() const noexcept { return left + width; }
  bool inside(Size outer) const noexcept {
    return top >= 0 && left >= 0 && height > 0 && width > 0 && top <= outer.height - height &&
           left <= outer.width - width;
  }
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// Names 8-bit RGB pixels without owning them: interleaved, 3 bytes a pixel, rows `stride` bytes
/// apart. Code that reads ahead with vectors may touch up to Image::padding bytes behind the last
/// pixel, so a view's memory must go on that far; an Image's does.
struct ImageView {
  const std::uint8_t* data = nullptr;
  Size size;
  std::size_t stride = 0;  ///< bytes from a row to the next

  static constexpr int channels = 3;
  const std::uint8_t* row(int y) const noexcept {
    return data + static_cast<std::size_t>(y) * stride;
  }
  /// The part of this view inside `rect`, which must lie inside.
  ImageView window(const Rect& rect) const noexcept {
    return {row(rect.top) + static_cast<std::size_t>(rect.left) * channels, rect.size(), stride};
  }
};

/// Memory from elsewhere that an image may lie in.
class ImageMemory {
 public:
  /// Returns so many bytes, 64-byte aligned, or null where there are not as many. They must stay
  /// valid while the image is used.
  virtual std::uint8_t* take(std::size_t bytes) = 0;

 protected:
  ~ImageMemory() = default;
};

/// Owns an 8-bit RGB image: interleaved, rows without gaps. Its memory only grows, so that an
/// image which is used again and again soon allocates no more. Move-only; a moved-from image has no
/// pixels. Not thread-safe.
class Image {
 public:
  static constexpr int channels = ImageView::channels;
  /// Bytes behind the last pixel that may be read and written without harm.
  static constexpr std::size_t padding = 64;

  Image() = default;
  explicit Image(Size size) { resize(size); }
  Image(Image&& other) noexcept
      : buffer_(std::move(other.buffer_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, {})) {}
  Image& operator=(Image&& other) noexcept {
    buffer_ = std::move(other.buffer_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, {});
    return *this;
  }

  /// Gives the image another size; its pixels are then undefined.
  /// @throws Error(invalid_argument) for a negative size, std::bad_alloc.
  void resize(Size size);
  /// Lets the next `resize`, and no other, ask `memory` for room first.
  void lie_in(ImageMemory* memory) noexcept { elsewhere_ = memory; }
  /// True where the pixels lie in memory that `lie_in` gave.
  bool lies_elsewhere() const noexcept { return data_ != buffer_.data(); }

  Size size() const noexcept { return size_; }
  std::size_t stride() const noexcept { return static_cast<std::size_t>(size_.width) * channels; }
  std::size_t bytes() const noexcept { return stride() * static_cast<std::size_t>(size_.height); }
  std::uint8_t* data() noexcept { return data_; }
  const std::uint8_t* data() const noexcept { return data_; }
  std::uint8_t* row(int y) noexcept { return data() + static_cast<std::size_t>(y) * stride(); }
  const std::uint8_t* row(int y) const noexcept {
    return data() + static_cast<std::size_t>(y) * stride();
  }
  ImageView view() const noexcept { return {data(), size_, stride()}; }
  /// Bytes of memory held, for accounting.
  std::size_t capacity() const noexcept { return buffer_.capacity(); }

 private:
  AlignedBuffer buffer_;
  std::uint8_t* data_ = nullptr;  ///< the buffer, or memory from elsewhere
  ImageMemory* elsewhere_ = nullptr;
  Size size_;
};

}  // namespace stoker
