#include <stoker/transforms/finish.hpp>

#include "transforms/finish_kernels.hpp"
#include "transforms/finish_values.hpp"
#include "transforms/narrow_float.hpp"
#include <stoker/core/error.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/to.hpp>

#include <hwy/cache_control.h>

#include <bit>
#include <tuple>
#include <utility>

namespace stoker {
namespace {

// From this size on a sample is written past the caches: batches of such samples don't fit into
// them.
constexpr std::size_t streamed_sample_bytes = std::size_t{64} << 10;

std::uint32_t bits_of(float value, DType dtype) {
  switch (dtype) {
    case DType::float16: return float16_bits(value);
    case DType::bfloat16: return bfloat16_bits(value);
    default: return std::bit_cast<std::uint32_t>(value);
  }
}

/// The float32 nearest to 1 / divisor, and what is missing to it.
std::pair<float, float> reciprocal(double divisor) {
  const auto high = static_cast<float>(1 / divisor);
  return {high, static_cast<float>(1 / divisor - static_cast<double>(high))};
}

finish::Formula formula_of(const finish::Values& values) {
  finish::Formula formula;
  formula.scale = values.scale();
  const ChannelStatistics statistics = values.statistics();
  for (std::size_t i = 0; i < formula.mean.size(); ++i) {
    formula.mean[i] = static_cast<float>(statistics.mean[i % 3]);
    std::tie(formula.inverse_high[i], formula.inverse_low[i]) =
        reciprocal(static_cast<float>(statistics.std[i % 3]));
  }
  return formula;
}

finish::Encoding encoding_of(const finish::Values& values) {
  finish::Encoding encoding{values.dtype(), values.layout(), {}, formula_of(values)};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t v = 0; v < 256; ++v) {
      encoding.bits[c][v] = bits_of(values.at(c, v), values.dtype());
    }
  }
  return encoding;
}

finish::Values values_of(std::span<const Step> operations) {
  finish::Values values;
  for (const Step& step : operations) {
    if (const auto* to = dynamic_cast<const To*>(step.get())) {
      values.apply(*to);
    } else if (const auto* normalize = dynamic_cast<const Normalize*>(step.get())) {
      values.apply(*normalize);
    } else {
      throw Error(ErrorCode::invalid_pipeline, step->text() + ": is not normalize or to");
    }
  }
  return values;
}

}  // namespace

struct Finish::State {
  explicit State(const finish::Values& values)
      : encoding(encoding_of(values)),
        kernel(finish::choose_kernel(encoding)),
        text(values.text()) {}

  finish::Encoding encoding;
  finish::Kernel kernel;
  std::string text;
};

Finish::Finish() : Finish(std::span<const Step>{}) {}

Finish::Finish(std::span<const Step> operations)
    : state_(std::make_shared<const State>(values_of(operations))) {}

bool Finish::is_value_operation(const Operation& operation) noexcept {
  return dynamic_cast<const To*>(&operation) || dynamic_cast<const Normalize*>(&operation);
}

DType Finish::dtype() const noexcept { return state_->encoding.dtype; }

Layout Finish::layout() const noexcept { return state_->encoding.layout; }

Shape Finish::shape(Size size) const {
  if (layout() == Layout::NCHW) return {3, size.height, size.width};
  return {size.height, size.width, 3};
}

std::size_t Finish::bytes(Size size) const noexcept {
  return 3 * static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width) *
         size_of(dtype());
}

void Finish::write_row(const std::uint8_t* rgb, int y, Size size, bool flip, std::byte* out) const {
  const auto width = static_cast<std::size_t>(size.width);
  const std::size_t plane_row = width * size_of(dtype());
  const std::size_t row_bytes = layout() == Layout::NCHW ? plane_row : 3 * plane_row;
  const bool stream = bytes(size) >= streamed_sample_bytes;
  state_->kernel.write_row(state_->encoding,
                           {rgb, width, flip, stream, out + static_cast<std::size_t>(y) * row_bytes,
                            plane_row * static_cast<std::size_t>(size.height)});
  // Streaming stores are not ordered by what hands the sample to another thread.
  if (stream && y + 1 == size.height) hwy::FlushStream();
}

void Finish::write(const ImageView& image, bool flip, std::byte* out) const {
  for (int y = 0; y < image.size.height; ++y) write_row(image.row(y), y, image.size, flip, out);
}

std::vector<std::byte> Finish::tables() const {
  static_assert(std::endian::native == std::endian::little, "the low bytes come first");
  std::vector<std::byte> tables;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::uint32_t v = 0; v < 256; ++v) {
      const std::uint32_t bits = dtype() == DType::uint8 ? v : state_->encoding.bits[c][v];
      const auto* first = reinterpret_cast<const std::byte*>(&bits);
      tables.insert(tables.end(), first, first + size_of(dtype()));
    }
  }
  return tables;
}

std::string Finish::text() const { return state_->text; }

bool Finish::computes() const noexcept { return state_->kernel.computes; }

bool operator==(const Finish& a, const Finish& b) noexcept {
  const finish::Encoding& left = a.state_->encoding;
  const finish::Encoding& right = b.state_->encoding;
  return left.dtype == right.dtype && left.layout == right.layout && left.bits == right.bits;
}

}  // namespace stoker
