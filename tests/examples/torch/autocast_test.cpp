#include "examples/torch/autocast.hpp"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace examples {
namespace {

using torch::Tensor;

c10::ScalarType product_type() {
  const Tensor square = torch::ones({4, 4});
  return torch::mm(square, square).scalar_type();
}

TEST(Autocast, LastsAsLongAsItLives) {
  EXPECT_EQ(product_type(), torch::kFloat32);
  {
    const Autocast autocast(torch::kCPU);
    EXPECT_EQ(product_type(), torch::kBFloat16);
  }
  EXPECT_EQ(product_type(), torch::kFloat32);
}

TEST(Autocast, CanBeSwitchedOffInside) {
  const Autocast autocast(torch::kCPU);
  {
    const Autocast off(torch::kCPU, torch::kBFloat16, false);
    EXPECT_EQ(product_type(), torch::kFloat32);
  }
  EXPECT_EQ(product_type(), torch::kBFloat16);
}

TEST(Autocast, LeavesOtherKindsOfDeviceAlone) {
  const Autocast autocast(torch::kCUDA, torch::kHalf);
  EXPECT_EQ(product_type(), torch::kFloat32);
}

TEST(Autocast, LeavesGradientsInTheParametersType) {
  const Tensor weight = torch::ones({4, 4}, torch::requires_grad());
  Tensor loss;
  {
    const Autocast autocast(torch::kCPU);
    const Tensor product = torch::mm(torch::ones({2, 4}), weight);
    EXPECT_EQ(product.scalar_type(), torch::kBFloat16);
    loss = product.to(torch::kFloat32).sum();
  }
  loss.backward();
  EXPECT_EQ(weight.grad().scalar_type(), torch::kFloat32);
  EXPECT_TRUE(weight.grad().eq(2).all().item<bool>());
}

}  // namespace
}  // namespace examples
