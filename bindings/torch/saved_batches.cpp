#include "bindings/torch/saved_batches.hpp"

#include <stoker/core/error.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace stoker::torch {
namespace {

using Indices = DrawnBatches::Indices;

constexpr const char* indices_key = "stoker_indices";
constexpr const char* firsts_key = "stoker_firsts";

std::vector<std::int64_t> read_numbers(::torch::serialize::InputArchive& archive, const char* key) {
  at::Tensor tensor;
  if (!archive.try_read(key, tensor, true) || tensor.dtype() != at::kLong || tensor.dim() != 1) {
    throw Error(ErrorCode::bad_state, "the archive holds no place in a LibTorch sampler's batches");
  }
  const at::Tensor plain = tensor.cpu().contiguous();
  const auto* data = plain.data_ptr<std::int64_t>();
  return {data, data + plain.numel()};
}

/// Whether batches begin at the first index, end behind the last one, and none is empty.
bool are_batches(const std::vector<std::int64_t>& firsts, std::size_t indices) {
  return !firsts.empty() && firsts.front() == 0 &&
         firsts.back() == static_cast<std::int64_t>(indices) &&
         std::ranges::adjacent_find(firsts, std::greater_equal()) == firsts.end();
}

}  // namespace

void write_batches(::torch::serialize::OutputArchive& archive,
                   const std::vector<Indices>& batches) {
  std::vector<std::int64_t> indices, firsts{0};
  for (const Indices& batch : batches) {
    indices.insert(indices.end(), batch.begin(), batch.end());
    firsts.push_back(static_cast<std::int64_t>(indices.size()));
  }
  archive.write(indices_key, at::tensor(indices, at::kLong), true);
  archive.write(firsts_key, at::tensor(firsts, at::kLong), true);
}

std::vector<Indices> read_batches(::torch::serialize::InputArchive& archive,
                                  std::optional<std::uint64_t> data_size) {
  const std::vector<std::int64_t> indices = read_numbers(archive, indices_key);
  const std::vector<std::int64_t> firsts = read_numbers(archive, firsts_key);
  if (!are_batches(firsts, indices.size())) {
    throw Error(ErrorCode::bad_state, "a LibTorch sampler's batches in the archive are damaged");
  }
  const auto end = data_size.value_or(std::numeric_limits<std::int64_t>::max());
  const auto outside = [end](std::int64_t index) {
    return index < 0 || static_cast<std::uint64_t>(index) >= end;
  };
  if (std::ranges::any_of(indices, outside)) {
    throw Error(ErrorCode::bad_state,
                "the archive holds batches of another dataset: this one does not have all of their "
                "samples");
  }
  std::vector<Indices> batches;
  for (std::size_t b = 0; b + 1 < firsts.size(); ++b) {
    batches.emplace_back(indices.begin() + firsts[b], indices.begin() + firsts[b + 1]);
  }
  return batches;
}

}  // namespace stoker::torch
