#include "bench/torch_training/trainer.hpp"

#include "examples/torch/autocast.hpp"

#include <torch/nn/functional/loss.h>

#include <utility>

namespace stoker::bench {
namespace {

using torch::Tensor;

examples::ResNet make_model(const std::string& name, torch::Device device, std::int64_t classes) {
  examples::ResNet model = models().at(name)(classes);
  model->to(device);
  examples::to_channels_last(*model);
  model->train();
  return model;
}

}  // namespace

const std::map<std::string, examples::ResNet (*)(std::int64_t)>& models() {
  static const std::map<std::string, examples::ResNet (*)(std::int64_t)> all{
      {"resnet18", examples::resnet18}, {"resnet50", examples::resnet50}};
  return all;
}

ForeachSgd::ForeachSgd(std::vector<Tensor> parameters) : parameters_(std::move(parameters)) {}

void ForeachSgd::step() {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> gradients;
  for (Tensor& parameter : parameters_) {
    gradients.push_back(std::exchange(parameter.mutable_grad(), {}));
  }
  at::_foreach_add_(gradients, parameters_, weight_decay);
  if (momenta_.empty()) {
    momenta_ = std::move(gradients);
  } else {
    at::_foreach_mul_(momenta_, momentum);
    at::_foreach_add_(momenta_, gradients);
  }
  at::_foreach_add_(parameters_, momenta_, -learning_rate);
}

Trainer::Trainer(const std::string& model, torch::Device device, std::int64_t classes)
    : device_(device),
      model_(make_model(model, device, classes)),
      optimizer_(model_->parameters()) {}

Tensor Trainer::step(const TrainingBatch& batch) {
  Tensor loss;
  {
    const examples::Autocast autocast(device_.type(), torch::kBFloat16, device_.is_cuda());
    loss = torch::nn::functional::cross_entropy(model_->forward(batch.data), batch.target);
  }
  loss.backward();
  optimizer_.step();
  return loss.detach();
}

}  // namespace stoker::bench
