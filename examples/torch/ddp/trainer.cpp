#include "trainer.hpp"

#include "../autocast.hpp"
#include "../resnet.hpp"
#include <stoker/engine/worker_pool.hpp>
#include <stoker/torch/device.hpp>

#include <torch/nn/functional/loss.h>

#include <algorithm>

namespace examples {
namespace {

using torch::Tensor;
using torch::nn::Sequential;

/// Batch normalisation would make ranks differ from one rank with larger batches: it takes each
/// rank's batch for itself. So the small model has none.
Sequential small_model(std::int64_t classes) {
  using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::ReLU;
  return Sequential(Conv2d(Conv2dOptions(3, 16, 3).stride(2)), ReLU(),
                    Conv2d(Conv2dOptions(16, 32, 3).stride(2)), ReLU(),
                    torch::nn::AdaptiveAvgPool2d(3), torch::nn::Flatten(),
                    torch::nn::Linear(32 * 3 * 3, classes));
}

Sequential make_model(const DdpSettings& settings, std::int64_t classes, torch::Device device) {
  torch::manual_seed(1);  // the same parameters on all ranks
  Sequential model = settings.model == "small"      ? small_model(classes)
                     : settings.model == "resnet18" ? Sequential(resnet18(classes))
                                                    : Sequential(resnet50(classes));
  model->to(device, settings.bench ? torch::kFloat32 : torch::kFloat64);
  to_channels_last(*model);
  return model;
}

}  // namespace

/// Each rank is given its part of the same order. The communicator lets the ranks check that it is
/// the same, and that all have as many batches: a rank with one more would wait for the others'
/// gradients for ever.
stoker::LoaderOptions loader_options(const DdpSettings& settings, const Rank& rank) {
  const auto beside = static_cast<int>(rank.ranks.local_world_size.value_or(1));
  return {.batch_size = settings.batch_size,
          .shuffle = true,
          .seed = 1,
          .num_workers = std::max(stoker::available_processors() / beside - 1, 1),
          .drop_last = true,
          .device = stoker::torch::device(rank.device),
          .resize_on = rank.device.is_cuda() ? stoker::ResizeOn::device : stoker::ResizeOn::cpu,
          .rank = rank.ranks.rank,
          .world_size = rank.ranks.world_size,
          .remainder = stoker::Remainder::drop,
          .communicator = rank.communicator};
}

Trainer::Trainer(const DdpSettings& settings, std::int64_t classes, const Rank& rank)
    : group_(rank.group),
      device_(rank.device),
      mixed_precision_(settings.bench && rank.device.is_cuda()),
      model_(make_model(settings, classes, rank.device)),
      gradients_(model_->parameters()),
      optimizer_(model_->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9)),
      lead_(rank.device) {}

Tensor Trainer::step(const stoker::torch::Batch& batch) {
  gradients_.zero();
  Tensor loss;
  {
    const Autocast autocast(device_.type(), torch::kBFloat16, mixed_precision_);
    const Tensor images = mixed_precision_ ? batch.data : batch.data.to(gradients_.dtype());
    loss = torch::nn::functional::cross_entropy(model_->forward(images), batch.target);
  }
  loss.backward();
  if (group_) gradients_.average(*group_);
  optimizer_.step();
  lead_.queued();
  return loss.detach();
}

}  // namespace examples
