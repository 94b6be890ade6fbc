#include "transforms/finish_values.hpp"

#include "transforms/narrow_float.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

namespace stoker::finish {
namespace {

// torchvision's v2 `to_dtype` multiplies by the reciprocal; its older `ToTensor` divides by 255,
// which differs in the last bit for some values.
constexpr auto unit_scale = static_cast<float>(1.0 / 255.0);

[[noreturn]] void misfit(const Operation& operation, const std::string& why) {
  throw Error(ErrorCode::invalid_pipeline, operation.text() + ": " + why);
}

float rounded_to(DType dtype, float value) {
  if (dtype == DType::float16) return float_of_float16(float16_bits(value));
  if (dtype == DType::bfloat16) return float_of_bfloat16(bfloat16_bits(value));
  return value;
}

}  // namespace

Values::Values() {
  for (auto& channel : table_) {
    for (std::size_t v = 0; v < channel.size(); ++v) channel[v] = static_cast<float>(v);
  }
}

template <class Function>
void Values::change(Function function) {
  for (std::size_t c = 0; c < table_.size(); ++c) {
    for (float& value : table_[c]) value = function(c, value);
  }
}

void Values::scale_to_unit() {
  scale_ = unit_scale;
  change([](std::size_t, float value) { return value * unit_scale; });
}

void Values::apply(const To& operation) {
  const bool from_floats = dtype_ != DType::uint8;
  const bool to_floats = operation.dtype() != DType::uint8;
  if (from_floats && !to_floats) {
    misfit(operation, "must stand before normalize and before any to() that makes floats");
  }
  if (!from_floats && to_floats && operation.scale()) scale_to_unit();
  dtype_ = operation.dtype();
  layout_ = operation.layout().value_or(layout_);
  change([&](std::size_t, float value) { return rounded_to(dtype_, value); });
}

void Values::apply(const Normalize& operation) {
  if (statistics_) misfit(operation, "a pipeline normalizes once");
  if (dtype_ != DType::uint8 && dtype_ != DType::float32) {
    misfit(operation,
           fmt::format("must stand before to({}): it computes in float32", name(dtype_)));
  }
  if (dtype_ == DType::uint8) scale_to_unit();
  dtype_ = DType::float32;
  statistics_ = operation.statistics();
  change([&](std::size_t c, float value) {
    return (value - static_cast<float>(statistics_->mean[c])) /
           static_cast<float>(statistics_->std[c]);
  });
}

ChannelStatistics Values::statistics() const {
  return statistics_.value_or(ChannelStatistics{{0, 0, 0}, {1, 1, 1}});
}

std::string Values::text() const {
  const std::string result = fmt::format("{} {}", name(dtype_), name(layout_));
  if (dtype_ == DType::uint8) return result;
  const std::string scaled = scale_ == 1 ? "v" : "v / 255";
  if (!statistics_) return result + " of " + scaled;
  const auto list = [](const auto& channels) {
    return list_text({channels.begin(), channels.end()});
  };
  return fmt::format("{} of ({} - mean) / std, mean={}, std={}", result, scaled,
                     list(statistics_->mean), list(statistics_->std));
}

}  // namespace stoker::finish
