#include "decoders/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stoker {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  Format format;
};

// Source: the formats' specifications; RIFF is WebP only with its name at offset 8.
constexpr std::array signatures{
    Signature{"\xFF\xD8"sv, Format::jpeg},
    Signature{"\x89PNG\r\n\x1A\n"sv, Format::png},
    Signature{"BM"sv, Format::bmp},
    Signature{"II*\0"sv, Format::tiff},
    Signature{"MM\0*"sv, Format::tiff},
    Signature{"\0\0\0\x0CjP  \r\n\x87\n"sv, Format::jpeg2000},
    Signature{"\xFF\x4F\xFF\x51"sv, Format::jpeg2000},
};

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_netpbm(std::string_view text) {
  return text.size() >= 3 && text[0] == 'P' && text[1] >= '1' && text[1] <= '6' &&
         " \t\r\n#"sv.find(text[2]) != std::string_view::npos;
}

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

Format format_of(std::span<const std::byte> bytes) noexcept {
  const std::string_view text = as_text(bytes);
  for (const Signature& signature : signatures) {
    if (text.starts_with(signature.bytes)) return signature.format;
  }
  if (text.starts_with("RIFF") &&
      text.substr(std::min<std::size_t>(8, text.size())).starts_with("WEBP")) {
    return Format::webp;
  }
  return is_netpbm(text) ? Format::netpbm : Format::unknown;
}

std::string_view name(Format format) noexcept {
  switch (format) {
    case Format::jpeg: return "JPEG";
    case Format::png: return "PNG";
    case Format::bmp: return "BMP";
    case Format::webp: return "WebP";
    case Format::tiff: return "TIFF";
    case Format::jpeg2000: return "JPEG 2000";
    case Format::netpbm: return "PNM";
    case Format::unknown: break;
  }
  return "unknown";
}

std::string describe_start(std::span<const std::byte> bytes) {
  constexpr std::size_t shown = 8;
  const std::string_view start = as_text(bytes.first(std::min(shown, bytes.size())));
  const std::string_view text(start.begin(), std::ranges::find_if_not(start, is_printable));
  std::string hex;
  for (const char c : start) {
    hex += fmt::format("{}{:02X}", hex.empty() ? "" : " ", static_cast<unsigned char>(c));
  }
  return text.empty() ? fmt::format("starts with {}", hex)
                      : fmt::format("starts with \"{}\" ({})", text, hex);
}

}  // namespace stoker
