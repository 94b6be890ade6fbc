#pragma once

#include <stoker/torch/samplers.hpp>

#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace stoker::torch {

/// Writes batches of indices to an archive as two tensors of int64: all indices, and where each
/// batch begins.
void write_batches(::torch::serialize::OutputArchive& archive,
                   const std::vector<DrawnBatches::Indices>& batches);

/// Reads them again. @throws Error(bad_state) where there are none, or some that cannot be of a
/// data set of that size.
std::vector<DrawnBatches::Indices> read_batches(::torch::serialize::InputArchive& archive,
                                                std::optional<std::uint64_t> data_size);

}  // namespace stoker::torch
