#pragma once

#include "process_group.hpp"

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace examples {

/// Holds all gradients of a model in one tensor, so that ranks add them up in one call. The
/// parameters' own `grad` are views of it: set them to zero with `zero`, not with the optimizer's
/// `zero_grad`, which would take them away. For parameters of one dtype and device.
class FlatGradients {
 public:
  explicit FlatGradients(const std::vector<torch::Tensor>& parameters) {
    std::int64_t elements = 0;
    for (const torch::Tensor& parameter : parameters) elements += parameter.numel();
    flat_ = torch::zeros({elements}, parameters.front().options().requires_grad(false));
    std::int64_t first = 0;
    for (const torch::Tensor& parameter : parameters) {
      parameter.mutable_grad() = flat_.as_strided(parameter.sizes(), parameter.strides(), first);
      first += parameter.numel();
    }
  }

  c10::ScalarType dtype() const { return flat_.scalar_type(); }

  void zero() { flat_.zero_(); }

  /// Sets them to their mean over the ranks. Collective; the host does not wait.
  void average(ProcessGroup& group) {
    std::vector<torch::Tensor> all{flat_};
    group.allreduce(all)->wait();
    flat_.div_(group.getSize());
  }

 private:
  torch::Tensor flat_;
};

}  // namespace examples
