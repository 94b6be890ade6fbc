#pragma once

#include "../host_lead.hpp"
#include "flat_gradients.hpp"
#include "process_group.hpp"
#include <stoker/distributed/communicator.hpp>
#include <stoker/distributed/ranks.hpp>
#include <stoker/engine/loader.hpp>
#include <stoker/torch/batches.hpp>

#include <torch/nn.h>
#include <torch/optim/sgd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace examples {

struct DdpSettings {
  int ranks = 2;
  std::string device = "cpu";
  std::size_t batch_size = 16;  ///< of a rank
  int crop = 32;
  std::uint64_t epochs = 4;
  // To measure with.
  bool bench = false;
  std::string model = "small";
  std::string photos;
  std::uint64_t steps = 200, warmup = 30;
};

/// One of the processes that train together.
struct Rank {
  stoker::Ranks ranks;
  torch::Device device;
  ProcessGroupPtr group;  ///< null: alone
  std::shared_ptr<stoker::Communicator> communicator;
};

/// How a rank loads its part of the data.
stoker::LoaderOptions loader_options(const DdpSettings& settings, const Rank& rank);

/// A rank's copy of the model in training: in float64, so that it can be compared, or to measure
/// with, in bfloat16 on CUDA and float32 on the CPU.
class Trainer {
 public:
  Trainer(const DdpSettings& settings, std::int64_t classes, const Rank& rank);

  /// Returns the loss of this rank's batch. Collective.
  torch::Tensor step(const stoker::torch::Batch& batch);

  const torch::nn::Sequential& model() const { return model_; }

 private:
  ProcessGroupPtr group_;
  torch::Device device_;
  bool mixed_precision_;
  torch::nn::Sequential model_;
  FlatGradients gradients_;
  torch::optim::SGD optimizer_;
  HostLead lead_;
};

}  // namespace examples
