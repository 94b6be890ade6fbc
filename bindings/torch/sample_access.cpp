#include <stoker/torch/detail/sample_access.hpp>

#include <ATen/ATen.h>

namespace stoker::torch::detail {

std::vector<at::Tensor> copyable(std::vector<at::Tensor> rows) {
  for (at::Tensor& tensor : rows) {
    const bool plain = tensor.defined() && tensor.device().is_cpu() &&
                       tensor.layout() == at::kStrided && tensor.dim() > 0 && tensor.size(0) > 0 &&
                       !tensor.is_quantized();
    if (!plain || tensor.size(0) != rows[0].size(0)) return {};
    tensor = tensor.resolve_conj().resolve_neg().contiguous();
  }
  return rows;
}

}  // namespace stoker::torch::detail
