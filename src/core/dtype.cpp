#include <stoker/core/dtype.hpp>

#include <array>

namespace stoker {
namespace {

constexpr std::array<std::string_view, 7> dtype_names{"uint8",    "int32",   "int64",  "float16",
                                                      "bfloat16", "float32", "float64"};
constexpr std::array<std::string_view, 2> layout_names{"NCHW", "NHWC"};

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names,
                         std::string_view wanted) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == wanted) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(DType dtype) noexcept { return dtype_names[static_cast<std::size_t>(dtype)]; }

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  return find<DType>(dtype_names, name);
}

std::string_view name(Layout layout) noexcept {
  return layout_names[static_cast<std::size_t>(layout)];
}

std::optional<Layout> parse_layout(std::string_view name) noexcept {
  return find<Layout>(layout_names, name);
}

}  // namespace stoker
