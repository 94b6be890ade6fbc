#pragma once

#include <cstdint>
#include <memory>

namespace stoker::bench {

/// A permutation that LibTorch made.
class TorchPermutation {
 public:
  virtual ~TorchPermutation() = default;
  virtual std::uint64_t index(std::uint64_t position) const = 0;
};

/// Calls torch::randperm with a generator that has this seed.
std::unique_ptr<TorchPermutation> torch_randperm(std::uint64_t size, std::uint64_t seed);

}  // namespace stoker::bench
