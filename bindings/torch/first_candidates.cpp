#include "bindings/torch/first_candidates.hpp"

#include <stoker/samplers/distributed_sampler.hpp>

#include <algorithm>
#include <memory>
#include <span>

namespace stoker::torch {
namespace {

/// Some places of so many, far from each other.
std::vector<std::uint64_t> spread_over(std::uint64_t size) {
  constexpr std::uint64_t some = 16;
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < std::min(some, size); ++i) {
    places.push_back(size <= some ? i : size / some * i);
  }
  return places;
}

}  // namespace

std::vector<std::size_t> candidates_of(const Sampler& sampler, const EpochPlace& place,
                                       std::size_t most) {
  const DistributedSampler* const share = sampler.as_distributed();
  const std::uint64_t size = share != nullptr ? share->global()->size() : sampler.size();
  const std::uint64_t from = std::min(place.position, size);
  const auto whole = [&] { return sampler.order(place.seed, place.epoch); };
  const auto left = share != nullptr ? share->order_from(place.seed, place.epoch, from) : whole();
  const std::uint64_t first = share != nullptr ? 0 : from;
  std::vector<std::uint64_t> indices(
      std::min<std::uint64_t>(most, left->size() - std::min(first, left->size())));
  left->read(first, indices);
  const auto others = left->size() > indices.size() ? left : whole();
  for (const std::uint64_t other : spread_over(others->size())) {
    others->read(other, std::span(&indices.emplace_back(), 1));
  }
  if (indices.empty()) indices.push_back(0);
  return {indices.begin(), indices.end()};
}

std::vector<std::size_t> candidates_of(const std::vector<std::vector<std::size_t>>& batches,
                                       std::optional<std::uint64_t> data_size, std::size_t most) {
  std::vector<std::size_t> indices;
  for (const auto& batch : batches) {
    const std::size_t room_left = most - indices.size();
    const auto end = batch.begin() + static_cast<std::ptrdiff_t>(std::min(room_left, batch.size()));
    indices.insert(indices.end(), batch.begin(), end);
    if (indices.size() == most) break;
  }
  for (const std::uint64_t b : spread_over(batches.size())) indices.push_back(batches[b].front());
  for (const std::uint64_t i : spread_over(data_size.value_or(0))) indices.push_back(i);
  return indices;
}

}  // namespace stoker::torch
