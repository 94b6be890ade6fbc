#pragma once

#include "bench/torch_training/feed.hpp"
#include "examples/torch/resnet.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stoker::bench {

/// The models by name: each makes one for so many classes.
const std::map<std::string, examples::ResNet (*)(std::int64_t)>& models();

/// SGD with momentum and weight decay, as torch::optim::SGD, but over all parameters at once: that
/// queues a few kernels a step instead of several a parameter, as PyTorch's does by default.
class ForeachSgd {
 public:
  /// `parameters` must have gradients of their own shape and strides when `step` is called.
  explicit ForeachSgd(std::vector<torch::Tensor> parameters);

  /// Updates the parameters and takes their gradients away.
  void step();

 private:
  static constexpr double learning_rate = 0.1, momentum = 0.9, weight_decay = 1e-4;

  std::vector<torch::Tensor> parameters_;
  std::vector<torch::Tensor> momenta_;  ///< none before the first step
};

/// A model in training: bf16 autocast on CUDA, float32 on the CPU, channels_last.
class Trainer {
 public:
  /// `model` is the name of one of models().
  Trainer(const std::string& model, torch::Device device, std::int64_t classes);

  /// Queues one step of training and returns its loss, which may not be computed yet. Never waits
  /// for the device.
  torch::Tensor step(const TrainingBatch& batch);

 private:
  torch::Device device_;
  examples::ResNet model_;
  ForeachSgd optimizer_;
};

}  // namespace stoker::bench
