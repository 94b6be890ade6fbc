#include <stoker/core/image.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>

namespace stoker {

void Image::resize(Size size) {
  if (size.height < 0 || size.width < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an image cannot be {} x {}", size.height, size.width));
  }
  buffer_.reserve(static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width) *
                      channels +
                  padding);
  size_ = size;
}

}  // namespace stoker
