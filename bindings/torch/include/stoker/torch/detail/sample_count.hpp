#pragma once

#include <ATen/core/Tensor.h>
#include <torch/data/example.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stoker::torch::detail {

/// Whether a batch has so many samples, for what torch::data batches are made of. `known` says
/// whether that can be seen of a T.
template <class T>
struct SampleCount {
  static constexpr bool known = false;
};

template <class T>
struct SampleCount<std::vector<T>> {
  static constexpr bool known = true;
  static bool reaches(const std::vector<T>& batch, std::size_t count) {
    return batch.size() >= count;
  }
};

template <>
struct SampleCount<at::Tensor> {
  static constexpr bool known = true;
  static bool reaches(const at::Tensor& batch, std::size_t count) {
    return !batch.defined() || batch.dim() == 0 ||
           batch.size(0) >= static_cast<std::int64_t>(count);
  }
};

template <class Data, class Target>
struct SampleCount<::torch::data::Example<Data, Target>> {
  static constexpr bool known = SampleCount<Data>::known;
  static bool reaches(const ::torch::data::Example<Data, Target>& batch, std::size_t count) {
    return SampleCount<Data>::reaches(batch.data, count);
  }
};

}  // namespace stoker::torch::detail
