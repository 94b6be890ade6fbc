#include <stoker/core/image.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>

namespace stoker {

void Image::resize(Size size) {
  if (size.height < 0 || size.width < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an image cannot be {} x {}", size.height, size.width));
  }
  const std::size_t bytes =
      static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width) * channels +
      padding;
  ImageMemory* const elsewhere = std::exchange(elsewhere_, nullptr);
  data_ = elsewhere != nullptr ? elsewhere->take(bytes) : nullptr;
  if (data_ == nullptr) {
    buffer_.reserve(bytes);
    data_ = buffer_.data();
  }
  size_ = size;
}

}  // namespace stoker
