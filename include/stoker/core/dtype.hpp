#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

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

/// Whether `T` can name elements of a dtype: float and double, integers of the same size and sign,
/// for the halves a class of two bytes (a compiler's or a library's half) or std::uint16_t, their
/// bits; and std::byte, which names any memory.
template <class T>
constexpr bool is_element_of(DType dtype) noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, std::byte>) {
    return true;
  } else if constexpr (std::is_same_v<U, float> || std::is_same_v<U, double>) {
    return dtype == (sizeof(U) == sizeof(float) ? DType::float32 : DType::float64);
  } else if constexpr (std::is_same_v<U, std::uint16_t> || (std::is_class_v<U> && sizeof(U) == 2)) {
    return dtype == DType::float16 || dtype == DType::bfloat16;
  } else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) {
    return (dtype == DType::int32 || dtype == DType::int64) && sizeof(U) == size_of(dtype);
  } else {
    return std::is_same_v<U, std::uint8_t> && dtype == DType::uint8;
  }
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
