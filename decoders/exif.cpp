#include "decoders/exif.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace stoker {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::array exif_header{std::byte{'E'}, std::byte{'x'}, std::byte{'i'},
                                 std::byte{'f'}, std::byte{0},   std::byte{0}};
constexpr std::uint32_t orientation_tag = 0x0112;
constexpr std::uint32_t type_short = 3;
constexpr std::size_t entry_bytes = 12;

/// Reads numbers of a TIFF structure in its byte order; nothing where they lie outside.
class TiffReader {
 public:
  explicit TiffReader(Bytes bytes) : bytes_(bytes), little_(at(0) == 'I') {}

  bool is_tiff() const {
    const std::uint32_t order = little_ ? 'I' : 'M';
    return at(0) == order && at(1) == order && number(2, 2) == 42u;
  }

  std::optional<std::uint32_t> number(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || bytes_.size() - offset < count) return {};
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value = value << 8 | at(offset + (little_ ? count - 1 - i : i));
    }
    return value;
  }

 private:
  std::uint32_t at(std::size_t offset) const {
    return offset < bytes_.size() ? std::to_integer<std::uint32_t>(bytes_[offset]) : 0;
  }

  Bytes bytes_;
  bool little_;
};

Orientation orientation_of(const TiffReader& tiff) {
  const auto directory = tiff.number(4, 4);
  if (!tiff.is_tiff() || !directory) return {};
  const std::uint32_t entries = tiff.number(*directory, 2).value_or(0);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = std::size_t{*directory} + 2 + i * entry_bytes;
    const auto tag = tiff.number(entry, 2);
    if (!tag) return {};
    if (tag != orientation_tag) continue;
    if (tiff.number(entry + 2, 2) != type_short) return {};
    return Orientation::from_exif(static_cast<int>(tiff.number(entry + 8, 2).value_or(1)));
  }
  return {};
}

bool is_exif(Bytes payload) {
  return payload.size() >= exif_header.size() &&
         std::ranges::equal(payload.first(exif_header.size()), exif_header);
}

/// A segment of a JPEG file: what follows its marker and length.
struct Segment {
  int marker = 0;
  Bytes payload;
  std::size_t end = 0;  ///< where the next one starts
};

/// Returns the segment at or behind `offset`, or nothing where the image's data or the end come
/// first.
std::optional<Segment> next_segment(Bytes jpeg, std::size_t offset) {
  const auto at = [&](std::size_t i) { return std::to_integer<int>(jpeg[i]); };
  constexpr int start_of_scan = 0xDA;
  constexpr int end_of_image = 0xD9;
  while (offset < jpeg.size() && at(offset) != 0xFF) ++offset;
  while (offset < jpeg.size() && at(offset) == 0xFF) ++offset;
  if (jpeg.size() < offset + 3) return {};
  const int marker = at(offset);
  const std::size_t length = static_cast<std::size_t>(at(offset + 1) << 8 | at(offset + 2));
  if (marker == start_of_scan || marker == end_of_image || length < 2) return {};
  const std::size_t end = std::min(jpeg.size(), offset + 1 + length);
  return Segment{marker, jpeg.subspan(offset + 3, end - offset - 3), end};
}

}  // namespace

Orientation exif_orientation(Bytes jpeg) noexcept {
  constexpr int app1 = 0xE1;
  std::size_t offset = 2;
  while (const auto segment = next_segment(jpeg, offset)) {
    if (segment->marker == app1 && is_exif(segment->payload)) {
      return orientation_of(TiffReader(segment->payload.subspan(exif_header.size())));
    }
    offset = segment->end;
  }
  return {};
}

}  // namespace stoker
