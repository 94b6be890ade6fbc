#include <stoker/core/tensor_view.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace stoker {

Shape::Shape(std::initializer_list<std::int64_t> dimensions)
    : Shape(std::span<const std::int64_t>(dimensions.begin(), dimensions.size())) {}

Shape::Shape(std::span<const std::int64_t> dimensions) : rank_(dimensions.size()) {
  if (rank_ > capacity) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a shape has {} dimensions, at most {} are possible", rank_, capacity));
  }
  if (std::ranges::any_of(dimensions, [](std::int64_t d) { return d < 0; })) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a shape has a negative dimension: [{}]", fmt::join(dimensions, ", ")));
  }
  std::ranges::copy(dimensions, dimensions_.begin());
}

std::int64_t Shape::elements() const noexcept {
  const auto all = dimensions();
  return std::accumulate(all.begin(), all.end(), std::int64_t{1}, std::multiplies<>());
}

Shape Shape::prepended(std::int64_t leading) const {
  if (rank_ == capacity) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("no room for a batch dimension before {}", text()));
  }
  Shape result;
  result.rank_ = rank_ + 1;
  result.dimensions_[0] = leading;
  std::copy_n(dimensions_.begin(), rank_, result.dimensions_.begin() + 1);
  return result;
}

std::string Shape::text() const { return fmt::format("[{}]", fmt::join(dimensions(), ", ")); }

void TensorView::refuse(std::string_view kind, std::size_t bits) const {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("a view of {} {} was asked for as {}{}: as<T>() takes its own dtype",
                          name(dtype), shape.text(), kind, bits));
}

Shape TensorView::strides() const {
  std::array<std::int64_t, Shape::capacity> strides{};
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return Shape(std::span<const std::int64_t>(strides.data(), shape.rank()));
}

}  // namespace stoker
