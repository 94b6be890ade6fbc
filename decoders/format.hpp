#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace stoker {

/// Image formats that are told apart by their first bytes.
enum class Format { jpeg, png, bmp, webp, tiff, jpeg2000, netpbm, unknown };

/// Recognises a format by its signature; a JPEG by two bytes only, since some have junk behind.
Format format_of(std::span<const std::byte> bytes) noexcept;

/// "PNG"
std::string_view name(Format format) noexcept;

/// Says for a person how a file starts: `starts with "GIF89a" (47 49 46 38 39 61 01 00)`.
std::string describe_start(std::span<const std::byte> bytes);

}  // namespace stoker
