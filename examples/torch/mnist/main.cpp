// A small convolutional network learns MNIST. Beside a program that uses LibTorch's own loader one
// namespace is another: see `main`.
//
//   torch_mnist [FOLDER]
//
// FOLDER (mnist) holds MNIST's four IDX files, unpacked. Where there are none, drawn digits are
// written there, and a line says so. Exit status 1 where fewer than 95 % of the test images are
// recognised.
#include "accuracy.hpp"
#include "image_dataset.hpp"
#include "mnist.hpp"
#include "plain_message.hpp"
#include "progress.hpp"
#include <stoker/torch.hpp>

#include <CLI/CLI.hpp>
#include <torch/torch.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

namespace {

using torch::Tensor;

constexpr std::int64_t batch_size = 64;
constexpr std::int64_t epochs = 4;
constexpr double least_accuracy = 0.95;

struct NetImpl : torch::nn::Module {
  Tensor forward(const Tensor& images) {
    Tensor x = torch::max_pool2d(conv1(images).relu(), 2);
    x = torch::max_pool2d(conv2(x).relu(), 2);
    return linear(x.flatten(1));
  }

  using Convolution = torch::nn::Conv2dOptions;
  torch::nn::Conv2d conv1 = register_module("conv1", torch::nn::Conv2d(Convolution(1, 16, 3)));
  torch::nn::Conv2d conv2 = register_module("conv2", torch::nn::Conv2d(Convolution(16, 32, 3)));
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(32 * 5 * 5, 10));
};
TORCH_MODULE(Net);

/// A data set as LibTorch's users write it. Of MNIST itself torch::data::datasets::MNIST does as
/// well, but it takes no other number of images.
auto digits(const std::filesystem::path& folder, examples::Split split) {
  return examples::ImageDataset(examples::read_mnist(folder, split))
      .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
      .map(torch::data::transforms::Stack<>());
}

template <class DataLoader>
void train(Net& net, DataLoader& loader, torch::optim::Optimizer& optimizer,
           examples::Progress& progress) {
  for (auto& batch : progress.watch(loader)) {
    optimizer.zero_grad();
    const Tensor loss = torch::nn::functional::cross_entropy(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    progress.advance(batch.data.size(0));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::filesystem::path folder = "mnist";
  CLI::App app("A small convolutional network learns MNIST");
  app.add_option("folder", folder,
                 "MNIST's four IDX files; drawn ones are written where there are none");
  CLI11_PARSE(app, argc, argv);
  examples::make_mnist_where_missing(folder, std::cout);
  auto train_set = digits(folder, examples::Split::train);
  const auto steps = (static_cast<std::int64_t>(*train_set.size()) + batch_size - 1) / batch_size;

  // Before:
  //
  //   auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
  //       std::move(train_set), torch::data::DataLoaderOptions(batch_size).workers(2));
  //
  // After:
  auto loader = stoker::torch::make_data_loader<torch::data::samplers::RandomSampler>(
      std::move(train_set), torch::data::DataLoaderOptions(batch_size).workers(2));
  auto test_loader = stoker::torch::make_data_loader<torch::data::samplers::SequentialSampler>(
      digits(folder, examples::Split::test), torch::data::DataLoaderOptions(256).workers(2));

  torch::manual_seed(1);
  Net net;
  torch::optim::Adam optimizer(net->parameters(), 2e-3);
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    examples::Progress progress("epoch " + std::to_string(epoch), steps);
    train(net, *loader, optimizer, progress);
    std::cout << progress.summary() << '\n';
  }
  const double reached = examples::accuracy(*test_loader, net);
  std::cout << "test accuracy " << 100 * reached << " %\n";
  return reached >= least_accuracy ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << examples::plain_message(error) << '\n';
  return 1;
}
