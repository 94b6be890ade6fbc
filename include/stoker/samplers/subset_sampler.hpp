#pragma once

#include <stoker/samplers/sampler.hpp>

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace stoker {

/// Visits some of a source's samples: in the order in which they are given, or shuffled, to the
/// index as torch's SubsetRandomSampler does with a generator seeded with seed + epoch. An index
/// that is given twice comes twice. Copies of the sampler share its indices, which take 4 bytes
/// each where all are below 2^32, else 8; a shuffled order takes as much again.
class SubsetSampler final : public Sampler {
 public:
  /// Keeps a copy of `indices`. @throws Error(empty_source) where there is none.
  explicit SubsetSampler(std::span<const std::uint64_t> indices, bool shuffle = true);

  std::uint64_t size() const override;
  /// @throws std::bad_alloc
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override;
  /// Holds a fingerprint of the indices.
  std::string text() const override;

 private:
  template <class Index>
  using Shared = std::shared_ptr<const std::vector<Index>>;

  std::variant<Shared<std::uint32_t>, Shared<std::uint64_t>> indices_;
  bool shuffle_;
  std::string fingerprint_;
};

}  // namespace stoker
