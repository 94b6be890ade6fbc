#pragma once

#include <stoker/samplers/sampler.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Which samples may be tried to learn what samples are like.
namespace stoker::torch {

/// Where an epoch's walk begins.
struct EpochPlace {
  std::uint64_t seed = 0, epoch = 0;
  std::uint64_t position = 0;  ///< in the order of all ranks
};

/// Of a sampler's order: the `most` that are due first, and some others of what is left, or of the
/// whole order where that is no more.
std::vector<std::size_t> candidates_of(const Sampler& sampler, const EpochPlace& place,
                                       std::size_t most);

/// Of batches: the `most` that are due first, and some others of the batches and of the data set.
std::vector<std::size_t> candidates_of(const std::vector<std::vector<std::size_t>>& batches,
                                       std::optional<std::uint64_t> data_size, std::size_t most);

}  // namespace stoker::torch
