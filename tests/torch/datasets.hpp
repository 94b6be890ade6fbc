#pragma once

#include <ATen/ATen.h>
#include <torch/data.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace stoker::torch::testing {

namespace data = ::torch::data;
using Example = data::Example<>;
/// LibTorch's optional size, whichever optional its version has.
using OptionalSize = decltype(std::declval<const data::datasets::TensorDataset&>().size());

/// Sample i: data float32 [1, 2, 3] that begins with i; target i, int64 [].
struct Numbers : data::datasets::Dataset<Numbers> {
  explicit Numbers(std::size_t size) : count(size) {}

  static Example sample(std::size_t index) {
    return {at::arange(6, at::kFloat).view({1, 2, 3}) + static_cast<float>(index),
            at::scalar_tensor(static_cast<std::int64_t>(index), at::kLong)};
  }
  Example get(std::size_t index) override { return sample(index); }
  OptionalSize size() const override { return count; }

  std::size_t count;
};

/// Sample i is what a function makes of i.
template <class ExampleType>
struct Made : data::datasets::Dataset<Made<ExampleType>, ExampleType> {
  using Make = std::function<ExampleType(std::size_t)>;
  Made(std::size_t size, Make function) : count(size), make(std::move(function)) {}

  ExampleType get(std::size_t index) override { return make(index); }
  OptionalSize size() const override { return count; }

  std::size_t count;
  Make make;
};

/// A dataset of single tensors, stacked.
inline auto stacked(std::size_t size, std::function<at::Tensor(std::size_t)> make) {
  return Made<data::TensorExample>(size, std::move(make))
      .map(data::transforms::Stack<data::TensorExample>());
}

/// The same with targets.
inline auto stacked_pairs(std::size_t size, std::function<Example(std::size_t)> make) {
  return Made<Example>(size, std::move(make)).map(data::transforms::Stack<>());
}

/// Numbers, stacked.
inline auto stacked_numbers(std::size_t size) {
  return Numbers(size).map(data::transforms::Stack<>());
}

inline std::vector<std::int64_t> numbers_in(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.to(at::kLong).contiguous();
  return {plain.data_ptr<std::int64_t>(), plain.data_ptr<std::int64_t>() + plain.numel()};
}

/// What an epoch's targets say, one behind the other.
template <class Loader>
std::vector<std::int64_t> targets_of_epoch(Loader& loader) {
  std::vector<std::int64_t> all;
  for (auto& batch : loader) {
    const auto some = numbers_in(batch.target);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// first, first + 1, ..., last - 1.
inline std::vector<std::int64_t> from_to(std::int64_t first, std::int64_t last) {
  return numbers_in(at::arange(first, last));
}

}  // namespace stoker::torch::testing
