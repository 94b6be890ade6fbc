#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cstdint>

namespace examples {

/// Returns which part of all images, 0 to 1, gets its label the highest score. `batches` is a range
/// of batches with `data` and `target` on one device, `scores` maps data [N, ...] to [N, classes].
template <class Range, class Scores>
double accuracy(Range&& batches, Scores scores) {
  const torch::NoGradGuard no_grad;
  std::int64_t right = 0, seen = 0;
  for (auto& batch : batches) {
    const torch::Tensor hits = scores(batch.data).argmax(1).eq(batch.target);
    right += hits.sum().template item<std::int64_t>();
    seen += hits.numel();
  }
  return static_cast<double>(right) / static_cast<double>(seen);
}

}  // namespace examples
