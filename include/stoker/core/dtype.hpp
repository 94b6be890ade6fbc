#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stoker {

/// Element types of fields. float16 is IEEE 754 binary16, bfloat16 the upper half of float32.
enum class DType : std::uint8_t { uint8, int32, int64, float16, bfloat16, float32, float64 };

/// Returns an element's size in bytes.
constexpr std::size_t size_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::uint8: return 1;
    case DType::float16:
    case DType::bfloat16: return 2;
    case DType::int32:
    case DType::float32: return 4;
    case DType::int64:
    case DType::float64: return 8;
  }
  return 0;
}

/// Returns the name as PyTorch writes it: "uint8", "float16", ...
std::string_view name(DType dtype) noexcept;
/// Returns the type of that name, or nothing.
std::optional<DType> parse_dtype(std::string_view name) noexcept;

/// Order of an image batch's dimensions.
enum class Layout : std::uint8_t { NCHW, NHWC };

/// Returns the name: "NCHW" or "NHWC".
std::string_view name(Layout layout) noexcept;
std::optional<Layout> parse_layout(std::string_view name) noexcept;

}  // namespace stoker
