#include "examples/torch/drawn_images.hpp"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>
#include <torch/optim/adam.h>

namespace examples {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

Tensor to_input(const Tensor& images) { return images.to(torch::kFloat32).div(127.5).sub(1); }

nn::Sequential small_network(std::int64_t channels) {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(channels, 16, 5).stride(2)), nn::ReLU(),
                        nn::Conv2d(nn::Conv2dOptions(16, 32, 3).stride(2)), nn::ReLU(),
                        nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(4)), nn::Flatten(),
                        nn::Linear(32 * 16, 10));
}

/// Share of images that a small network, trained on others, gives the right class.
double accuracy(const LabelledImages& train, const LabelledImages& test, int epochs) {
  torch::manual_seed(1);
  nn::Sequential network = small_network(train.images.size(1));
  torch::optim::Adam optimizer(network->parameters(), torch::optim::AdamOptions(3e-3));
  const Tensor images = to_input(train.images);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const Tensor& batch : torch::randperm(images.size(0)).split(64)) {
      optimizer.zero_grad();
      const Tensor output = network->forward(images.index_select(0, batch));
      nn::functional::cross_entropy(output, train.labels.index_select(0, batch)).backward();
      optimizer.step();
    }
  }
  const Tensor guesses = network->forward(to_input(test.images)).argmax(1);
  return guesses.eq(test.labels).to(torch::kFloat64).mean().item<double>();
}

void expect_same(const LabelledImages& a, const LabelledImages& b) {
  EXPECT_TRUE(a.images.equal(b.images));
  EXPECT_TRUE(a.labels.equal(b.labels));
}

TEST(DrawnImages, AreTheSameForTheSameSeed) {
  expect_same(draw_digits(20, 7), draw_digits(20, 7));
  expect_same(draw_shapes(20, 7), draw_shapes(20, 7));
  EXPECT_FALSE(draw_digits(20, 7).images.equal(draw_digits(20, 8).images));
  EXPECT_FALSE(draw_shapes(20, 7).images.equal(draw_shapes(20, 8).images));
}

TEST(DrawnImages, HaveAllClassesEquallyOften) {
  for (const LabelledImages& data : {draw_digits(50, 1), draw_shapes(50, 1)}) {
    EXPECT_TRUE(data.labels.bincount({}, 10).eq(5).all().item<bool>());
  }
  EXPECT_EQ(draw_digits(3, 1).images.sizes(), (std::vector<std::int64_t>{3, 1, 28, 28}));
  EXPECT_EQ(draw_shapes(3, 1).images.sizes(), (std::vector<std::int64_t>{3, 3, 32, 32}));
}

TEST(DrawnImages, OfAClassDiffer) {
  const LabelledImages digits = draw_digits(20, 1);
  EXPECT_FALSE(digits.images[3].equal(digits.images[13]));
  const LabelledImages shapes = draw_shapes(20, 1);
  EXPECT_FALSE(shapes.images[3].equal(shapes.images[13]));
}

TEST(DrawnImages, CanBeLearnt) {
  EXPECT_GT(accuracy(draw_digits(2000, 1), draw_digits(500, 2), 4), 0.8);
  EXPECT_GT(accuracy(draw_shapes(2000, 1), draw_shapes(500, 2), 8), 0.6);
}

}  // namespace
}  // namespace examples
