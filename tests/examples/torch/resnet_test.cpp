#include "examples/torch/resnet.hpp"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <string>
#include <vector>

namespace examples {
namespace {

using torch::Tensor;

std::int64_t parameters_of(ResNet model) {
  std::int64_t count = 0;
  for (const Tensor& parameter : model->parameters()) count += parameter.numel();
  return count;
}

std::vector<std::int64_t> shape_of(ResNet model, const std::string& name) {
  const auto parameters = model->named_parameters();
  return parameters.contains(name) ? parameters[name].sizes().vec() : std::vector<std::int64_t>();
}

/// A batch of four images that no class can be told of, so that only training lowers the loss.
Tensor train(ResNet model, int steps, torch::MemoryFormat format) {
  const Tensor images = torch::rand({4, 3, 32, 32}).contiguous(format);
  const Tensor labels = torch::arange(4);
  // The gradient of a deep network with batch normalisation over so few values is huge.
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(1e-6));
  model->train();
  std::vector<Tensor> losses;
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    Tensor loss = torch::nn::functional::cross_entropy(model->forward(images), labels);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return torch::stack(losses);
}

TEST(ResNet, HasAsManyParametersAsTorchvisionsModels) {
  EXPECT_EQ(parameters_of(resnet18()), 11'689'512);
  EXPECT_EQ(parameters_of(resnet50()), 25'557'032);
}

TEST(ResNet, IsSmallForSmallImages) {
  ResNet model = small_resnet(10);
  EXPECT_EQ(parameters_of(model), 314'954);
  EXPECT_EQ(model->forward(torch::rand({2, 3, 32, 32})).sizes(),
            (std::vector<std::int64_t>{2, 10}));
}

TEST(ResNet, NamesParametersAsTorchvisionDoes) {
  ResNet basic = resnet18();
  EXPECT_EQ(basic->parameters().size(), 62U);
  EXPECT_EQ(shape_of(basic, "conv1.weight"), (std::vector<std::int64_t>{64, 3, 7, 7}));
  EXPECT_EQ(shape_of(basic, "layer2.0.downsample.0.weight"),
            (std::vector<std::int64_t>{128, 64, 1, 1}));
  EXPECT_EQ(shape_of(basic, "fc.weight"), (std::vector<std::int64_t>{1000, 512}));
  ResNet deep = resnet50();
  EXPECT_EQ(deep->parameters().size(), 161U);
  EXPECT_EQ(shape_of(deep, "layer1.0.downsample.1.bias"), (std::vector<std::int64_t>{256}));
  EXPECT_EQ(shape_of(deep, "layer4.2.conv3.weight"), (std::vector<std::int64_t>{2048, 512, 1, 1}));
  EXPECT_TRUE(deep->named_buffers().contains("layer3.5.bn2.running_var"));
}

TEST(ResNet, StartsFromKaimingsValues) {
  torch::manual_seed(1);
  ResNet model = resnet50();
  for (const auto& parameter : model->named_parameters()) {
    const Tensor& weight = parameter.value();
    if (weight.dim() != 4) continue;
    const auto fan_out = static_cast<double>(weight.size(0) * weight.size(2) * weight.size(3));
    EXPECT_NEAR(weight.std().item<double>() * std::sqrt(fan_out / 2), 1, 0.05) << parameter.key();
  }
}

TEST(ResNet, GivesALogitForEachClassWhateverTheImagesSize) {
  torch::NoGradGuard no_grad;
  ResNet model = resnet50(10);
  model->eval();
  EXPECT_EQ(model->forward(torch::rand({2, 3, 64, 64})).sizes(),
            (std::vector<std::int64_t>{2, 10}));
  EXPECT_EQ(model->forward(torch::rand({1, 3, 97, 40})).sizes(),
            (std::vector<std::int64_t>{1, 10}));
}

TEST(ResNet, ATrainingStepLowersTheLoss) {
  torch::manual_seed(2);
  const Tensor losses = train(resnet50(4), 2, torch::MemoryFormat::Contiguous);
  EXPECT_LT(losses[1].item<double>(), losses[0].item<double>()) << losses;
}

TEST(ResNet, TrainsInChannelsLastToo) {
  torch::manual_seed(3);
  ResNet model = resnet18(4);
  to_channels_last(*model);
  for (const Tensor& parameter : model->parameters()) {
    if (parameter.dim() != 4) continue;
    // The exact strides, also of dimensions of one element.
    EXPECT_EQ(parameter.strides(),
              c10::IntArrayRef(c10::get_channels_last_strides_2d(parameter.sizes())));
  }
  const Tensor losses = train(model, 2, torch::MemoryFormat::ChannelsLast);
  EXPECT_LT(losses[1].item<double>(), losses[0].item<double>()) << losses;
}

TEST(ResNet, ChannelsLastChangesNoValue) {
  torch::NoGradGuard no_grad;
  torch::manual_seed(4);
  ResNet model = resnet18(4);
  model->eval();
  const Tensor images = torch::rand({2, 3, 64, 64});
  const Tensor before = model->forward(images);
  to_channels_last(*model);
  const Tensor after = model->forward(images.contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(torch::allclose(before, after, 1e-3, 1e-3)) << before << after;
}

}  // namespace
}  // namespace examples
