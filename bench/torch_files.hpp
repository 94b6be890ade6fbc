#pragma once

#include "bench/torch_samples.hpp"

#include <torch/data/datasets/base.h>
#include <torch/data/example.h>
#include <torch/utils.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stoker::bench {

/// What all copies of a TorchFiles share; LibTorch gives each worker a copy.
struct TorchFilesState {
  std::vector<std::string> paths;
  std::vector<std::int64_t> labels;  ///< of each file
  std::uint64_t repeat = 1;          ///< an epoch walks the files that often
  std::uint64_t seed = 0;
  std::atomic<std::uint64_t> epoch{0};
  std::unique_ptr<const SampleMaker> maker;
};

/// Image files as a data set for LibTorch's loader.
class TorchFiles : public torch::data::datasets::Dataset<TorchFiles> {
 public:
  explicit TorchFiles(std::shared_ptr<const TorchFilesState> state) : state_(std::move(state)) {}

  torch::data::Example<> get(std::size_t index) override {
    // One worker is one thread: LibTorch's own pool would have the workers compete.
    thread_local const bool alone = (at::set_num_threads(1), true);
    (void)alone;
    const std::size_t file = index % state_->paths.size();
    const RandomKey key{state_->seed, state_->epoch, index};
    return {state_->maker->make(state_->paths[file], key), torch::tensor(state_->labels[file])};
  }

  torch::optional<std::size_t> size() const override {
    return state_->paths.size() * state_->repeat;
  }

 private:
  std::shared_ptr<const TorchFilesState> state_;
};

}  // namespace stoker::bench
