// A small residual network learns CIFAR-10 from images that are cropped at random places and
// mirrored at random. The transform is one of LibTorch's; batches arrive where the model is.
//
//   torch_cifar10 [FOLDER [EPOCHS]]
//
// FOLDER (cifar10) holds CIFAR-10's binary files. Where there are none, drawn shapes are written
// there, and a line says so. Exit status 1 where fewer than 70 % of the test images are recognised
// after 3 epochs.
#include "accuracy.hpp"
#include "cifar10.hpp"
#include "cli/numbers.hpp"
#include "image_dataset.hpp"
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
using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;

constexpr std::int64_t batch_size = 64;
constexpr double least_accuracy = 0.7;

/// Cuts 32 x 32 pixels at a random place out of an image with 4 black ones around it, and mirrors
/// every other image. Each worker has a copy, so that a generator in here would give all workers
/// the same numbers: they are drawn from LibTorch's own, which all threads share.
struct RandomCropAndFlip : torch::data::transforms::TensorTransform<> {
  Tensor operator()(Tensor image) override {
    const Tensor padded = torch::constant_pad_nd(image, {4, 4, 4, 4});
    const Tensor crop = padded.narrow(1, below(9), 32).narrow(2, below(9), 32);
    return below(2) == 0 ? crop : crop.flip(2);
  }

  static std::int64_t below(std::int64_t bound) {
    return torch::randint(bound, {1}).item<std::int64_t>();
  }
};

Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t stride) {
  return Conv2d(
      torch::nn::Conv2dOptions(in, out, size).stride(stride).padding(size / 2).bias(false));
}

/// Two convolutions beside a shortcut; halves height and width.
struct BlockImpl : torch::nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out)
      : conv1(register_module("conv1", convolution(in, out, 3, 2))),
        conv2(register_module("conv2", convolution(out, out, 3, 1))),
        shortcut(register_module("shortcut", convolution(in, out, 1, 2))),
        bn1(register_module("bn1", BatchNorm2d(out))),
        bn2(register_module("bn2", BatchNorm2d(out))) {}

  Tensor forward(const Tensor& x) {
    return (bn2(conv2(bn1(conv1(x)).relu())) + shortcut(x)).relu();
  }

  Conv2d conv1, conv2, shortcut;
  BatchNorm2d bn1, bn2;
};
TORCH_MODULE(Block);

struct NetImpl : torch::nn::Module {
  Tensor forward(const Tensor& images) {
    const Tensor x = block3(block2(block1(bn(stem(images)).relu())));
    return linear(x.mean({2, 3}));
  }

  Conv2d stem = register_module("stem", convolution(3, 16, 3, 1));
  BatchNorm2d bn = register_module("bn", BatchNorm2d(16));
  Block block1 = register_module("block1", Block(16, 32));
  Block block2 = register_module("block2", Block(32, 64));
  Block block3 = register_module("block3", Block(64, 128));
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(128, 10));
};
TORCH_MODULE(Net);

/// Normalises the images of a data set and stacks them to batches.
template <class Dataset>
auto normalized(Dataset dataset) {
  return std::move(dataset)
      .map(torch::data::transforms::Normalize<>({0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}))
      .map(torch::data::transforms::Stack<>());
}

template <class DataLoader>
void train(Net& net, DataLoader& loader, torch::optim::Optimizer& optimizer,
           examples::Progress& progress) {
  net->train();
  for (auto& batch : progress.watch(loader)) {
    optimizer.zero_grad();
    const Tensor loss = torch::nn::functional::cross_entropy(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    progress.advance(batch.data.size(0));
  }
}

int run(const std::filesystem::path& folder, std::int64_t epochs) {
  examples::make_cifar10_where_missing(folder, std::cout);
  examples::ImageDataset train_set(examples::read_cifar10(folder, examples::Split::train));
  examples::ImageDataset test_set(examples::read_cifar10(folder, examples::Split::test));
  const std::size_t steps = *train_set.size() / batch_size;

  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  const auto options = stoker::torch::DataLoaderOptions(batch_size).workers(2).device(device);
  auto loader = stoker::torch::make_data_loader<torch::data::samplers::RandomSampler>(
      normalized(train_set.map(RandomCropAndFlip())),
      stoker::torch::DataLoaderOptions(options).drop_last(true));
  auto test_loader = stoker::torch::make_data_loader<torch::data::samplers::SequentialSampler>(
      normalized(test_set), options);

  torch::manual_seed(1);
  Net net;
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(),
                              torch::optim::SGDOptions(0.05).momentum(0.9).weight_decay(5e-4));
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    examples::Progress progress("epoch " + std::to_string(epoch), steps);
    train(net, *loader, optimizer, progress);
    std::cout << progress.summary() << '\n';
  }
  net->eval();
  const double reached = examples::accuracy(*test_loader, net);
  std::cout << "test accuracy " << 100 * reached << " %\n";
  return reached >= least_accuracy ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  std::filesystem::path folder = "cifar10";
  std::int64_t epochs = 3;
  CLI::App app("A small network learns CIFAR-10, with random crops and flips");
  app.add_option("folder", folder,
                 "the binary version's files; drawn ones are written where there are none");
  app.add_option("epochs", epochs)->check(stoker::cli::whole_number<std::int64_t>(1));
  CLI11_PARSE(app, argc, argv);
  return run(folder, epochs);
} catch (const std::exception& error) {
  std::cerr << examples::plain_message(error) << '\n';
  return 1;
}
