#include <stoker/transforms/to.hpp>

#include "transforms/parameters.hpp"

#include <fmt/format.h>

namespace stoker {
namespace {

parameters::Check valid_dtype(std::optional<DType> dtype, std::string_view written) {
  if (dtype == DType::uint8 || dtype == DType::float16 || dtype == DType::bfloat16 ||
      dtype == DType::float32) {
    return {};
  }
  return parameters::Flaw{
      "dtype", fmt::format("must be uint8, float16, bfloat16 or float32, not {}", written)};
}

DType dtype_parameter(Arguments& arguments) {
  const std::string word = arguments.word("dtype");
  const std::optional<DType> dtype = parse_dtype(word);
  parameters::require(arguments, valid_dtype(dtype, word));
  return dtype.value();
}

std::optional<Layout> layout_parameter(Arguments& arguments) {
  const std::string word = arguments.word("layout", "");
  const std::optional<Layout> layout = parse_layout(word);
  if (!layout && !word.empty()) arguments.reject("layout", "must be NCHW or NHWC, not " + word);
  return layout;
}

}  // namespace

To::To(DType dtype, std::optional<Layout> layout, bool scale)
    : dtype_(dtype), layout_(layout), scale_(scale) {
  parameters::require("to", valid_dtype(dtype, name(dtype)));
}

std::string To::text() const {
  const std::string layout = layout_ ? fmt::format(", layout={}", name(*layout_)) : "";
  return fmt::format("to(dtype={}{}, scale={})", name(dtype_), layout, scale_);
}

Step to(DType dtype, std::optional<Layout> layout, bool scale) {
  return std::make_shared<To>(dtype, layout, scale);
}

Step make_to(Arguments& arguments) {
  const DType dtype = dtype_parameter(arguments);
  const std::optional<Layout> layout = layout_parameter(arguments);
  const bool scale = arguments.boolean("scale", true);
  arguments.finish();
  return to(dtype, layout, scale);
}

}  // namespace stoker
