#include "decoders/png.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

namespace stoker {
namespace {

constexpr std::size_t signature_bytes = 8;
constexpr std::size_t chunk_frame = 12;  // length, type, checksum

std::uint32_t big_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (const std::byte byte : bytes.first(4)) {
    value = value << 8 | std::to_integer<std::uint32_t>(byte);
  }
  return value;
}

bool is_chunk(std::span<const std::byte> chunk, std::string_view type) {
  return std::string_view(reinterpret_cast<const char*>(chunk.data()) + 4, 4) == type;
}

Result<Size> header_size(std::span<const std::byte> header) {
  constexpr std::uint32_t largest = std::numeric_limits<std::int32_t>::max();
  const std::uint32_t width = big_endian(header.subspan(8));
  const std::uint32_t height = big_endian(header.subspan(12));
  if (width == 0 || height == 0 || width > largest || height > largest) {
    return fail(ErrorCode::corrupt, "PNG: the image declares no pixels");
  }
  return Size{static_cast<int>(height), static_cast<int>(width)};
}

}  // namespace

Result<Size> check_png(std::span<const std::byte> bytes) {
  Result<Size> size = fail(ErrorCode::corrupt, "PNG: the file does not start with a header chunk");
  std::span<const std::byte> rest = bytes.subspan(signature_bytes);
  for (bool first = true;; first = false) {
    if (rest.size() < chunk_frame || rest.size() - chunk_frame < big_endian(rest)) {
      return fail(ErrorCode::truncated, "PNG: the file ends before its last chunk");
    }
    const std::size_t length = big_endian(rest);
    if (first && length == 13 && is_chunk(rest, "IHDR")) size = header_size(rest);
    if (!size || is_chunk(rest, "IEND")) return size;
    rest = rest.subspan(chunk_frame + length);
  }
}

}  // namespace stoker
