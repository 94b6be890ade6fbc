#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stoker::torch {

/// Samples that LibTorch makes one by one: what a data loader needs to know of a data set whose
/// batches are stacks of them. make_data_loader makes one of a torch::data dataset; another program
/// may make its own.
struct SampleSource {
  /// Reads a sample's tensors, one a field, from one copy of the data set. Called by one thread at
  /// a time.
  using Read = std::function<void(std::size_t index, std::span<at::Tensor> fields)>;

  /// Number of samples, where it is known: larger indices are refused.
  std::optional<std::uint64_t> size;
  std::vector<std::string> fields;
  /// Makes one more copy of the data set. Called once for each worker at most, one call at a time.
  std::function<Read()> copy;
  /// Not empty: field f of sample i is rows[f][i], and nothing is called. Contiguous, on the CPU.
  std::vector<at::Tensor> rows;
};

}  // namespace stoker::torch
