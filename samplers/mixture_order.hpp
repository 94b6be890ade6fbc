#pragma once

#include "samplers/quota_tree.hpp"
#include <stoker/samplers/sampler.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace stoker {

/// An epoch of a MixtureSampler. A block's places are divided among the sources by their quotas and
/// then shuffled; a source's samples come in the order of a permutation, one for each pass over it.
class MixtureOrder final : public Order {
 public:
  MixtureOrder(std::span<const std::uint64_t> sizes, std::span<const double> weights,
               std::uint64_t size, std::uint64_t seed, std::uint64_t epoch);

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<std::uint64_t> out) const override;

 private:
  class Reader;

  QuotaTree quotas_;
  std::vector<std::uint64_t> starts_;  // of each source among all, and the end
  std::uint64_t size_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
};

}  // namespace stoker
