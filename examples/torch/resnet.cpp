#include "resnet.hpp"

#include <torch/nn/init.h>

#include <memory>
#include <string>
#include <utility>

namespace examples {
namespace {

using torch::Tensor;
using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Sequential;
using Block = ResNetOptions::Block;

Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t stride) {
  return Conv2d(
      torch::nn::Conv2dOptions(in, out, size).stride(stride).padding(size / 2).bias(false));
}

/// Convolutions, each with its batch normalisation, beside a shortcut.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(Block block, std::int64_t in, std::int64_t channels, std::int64_t stride) {
    if (block == Block::basic) {
      add(convolution(in, channels, 3, stride));
      add(convolution(channels, channels, 3, 1));
    } else {
      add(convolution(in, channels, 1, 1));
      add(convolution(channels, channels, 3, stride));
      add(convolution(channels, channels * 4, 1, 1));
    }
    const std::int64_t out = convolutions_.back()->options.out_channels();
    if (stride == 1 && in == out) return;
    shortcut_ = register_module("downsample",
                                Sequential(convolution(in, out, 1, stride), BatchNorm2d(out)));
  }

  Tensor forward(const Tensor& input) {
    Tensor result = input;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      if (i > 0) result.relu_();
      result = normalizations_[i]->forward(convolutions_[i]->forward(result));
    }
    result += shortcut_.is_empty() ? input : shortcut_->forward(input);
    return result.relu_();
  }

  std::int64_t out_channels() const { return convolutions_.back()->options.out_channels(); }

 private:
  void add(const Conv2d& convolution) {
    const std::string number = std::to_string(convolutions_.size() + 1);
    convolutions_.push_back(register_module("conv" + number, convolution));
    normalizations_.push_back(
        register_module("bn" + number, BatchNorm2d(convolution->options.out_channels())));
  }

  std::vector<Conv2d> convolutions_;
  std::vector<BatchNorm2d> normalizations_;
  Sequential shortcut_{nullptr};  ///< none: the input itself
};
TORCH_MODULE(ResidualBlock);

/// One stage of the network; `channels` are its input's, and then its output's.
Sequential stage(const ResNetOptions& options, std::size_t number, std::int64_t& channels) {
  Sequential blocks;
  for (std::int64_t i = 0; i < options.blocks.at(number); ++i) {
    const std::int64_t stride = i == 0 && number > 0 ? 2 : 1;
    ResidualBlock block(options.block, channels, std::int64_t{64} << number, stride);
    channels = block->out_channels();
    blocks->push_back(block);
  }
  return blocks;
}

ResNet make(Block block, std::vector<std::int64_t> blocks, std::int64_t classes) {
  return ResNet(ResNetOptions{block, std::move(blocks), classes});
}

}  // namespace

ResNetImpl::ResNetImpl(const ResNetOptions& options)
    : conv1_(register_module("conv1", convolution(3, 64, 7, 2))),
      bn1_(register_module("bn1", BatchNorm2d(64))) {
  std::int64_t channels = 64;
  for (std::size_t i = 0; i < options.blocks.size(); ++i) {
    stages_.push_back(
        register_module("layer" + std::to_string(i + 1), stage(options, i, channels)));
  }
  fc_ = register_module("fc", torch::nn::Linear(channels, options.classes));
  for (const auto& module : modules(/*include_self=*/false)) {
    if (const auto* convolution = module->as<Conv2d>()) {
      torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
    }
  }
}

Tensor ResNetImpl::forward(const Tensor& images) {
  Tensor result = bn1_->forward(conv1_->forward(images)).relu_();
  result = torch::max_pool2d(result, 3, 2, 1);
  for (Sequential& stage : stages_) result = stage->forward(result);
  return fc_->forward(torch::adaptive_avg_pool2d(result, {1, 1}).flatten(1));
}

ResNet small_resnet(std::int64_t classes) { return make(Block::basic, {1, 1}, classes); }

ResNet resnet18(std::int64_t classes) { return make(Block::basic, {2, 2, 2, 2}, classes); }

ResNet resnet50(std::int64_t classes) { return make(Block::bottleneck, {3, 4, 6, 3}, classes); }

void to_channels_last(torch::nn::Module& module) {
  for (Tensor& parameter : module.parameters()) {
    if (parameter.dim() != 4) continue;
    // Not `contiguous`, which leaves the strides of 1x1 kernels as they are.
    parameter.set_data(
        torch::empty_like(parameter, torch::MemoryFormat::ChannelsLast).copy_(parameter.detach()));
  }
}

}  // namespace examples
