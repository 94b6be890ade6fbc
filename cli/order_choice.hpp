#pragma once

#include "cli/index_stream.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stoker::cli {

/// What `stoker order` was asked for. Lists are text: see number_list.
struct OrderOptions {
  std::optional<std::uint64_t> size;
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t from = 0;
  std::string sampler;  ///< empty: sequential, or random with `shuffle`
  bool shuffle = false;
  bool sha256 = false;

  std::optional<std::uint64_t> world_size, rank;
  bool drop_last = false;
  bool uneven = false;

  std::optional<std::uint64_t> num_samples;
  bool replacement = false;
  std::string indices, weights, sizes, lengths, boundaries;
  std::optional<std::uint64_t> batch_size, shard_size, window;
};

/// Names of the samplers that `chosen_order` knows.
std::vector<std::string> sampler_names();

/// Builds the order that was asked for: this rank's part of it, from `from` on.
/// @throws Error that names what is missing, contradictory or not allowed
std::unique_ptr<IndexStream> chosen_order(const OrderOptions& options);

}  // namespace stoker::cli
