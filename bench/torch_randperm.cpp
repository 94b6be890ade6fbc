#include "bench/torch_randperm.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

namespace stoker::bench {
namespace {

class Permutation final : public TorchPermutation {
 public:
  explicit Permutation(torch::Tensor tensor) : tensor_(std::move(tensor)) {}
  std::uint64_t index(std::uint64_t position) const override {
    return static_cast<std::uint64_t>(tensor_.data_ptr<std::int64_t>()[position]);
  }

 private:
  torch::Tensor tensor_;
};

}  // namespace

std::unique_ptr<TorchPermutation> torch_randperm(std::uint64_t size, std::uint64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return std::make_unique<Permutation>(
      torch::randperm(static_cast<std::int64_t>(size), generator, torch::kInt64));
}

}  // namespace stoker::bench
