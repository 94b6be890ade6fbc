#pragma once

#include <torch/nn.h>

#include <cstdint>
#include <vector>

namespace examples {

/// What a residual network is made of.
struct ResNetOptions {
  /// `basic` is two 3x3 convolutions; `bottleneck` is 1x1, 3x3 and 1x1, the last with four times
  /// the channels.
  enum class Block : std::uint8_t { basic, bottleneck };

  Block block = Block::basic;
  std::vector<std::int64_t> blocks;  ///< of each stage
  std::int64_t classes = 1000;
};

/// A residual network for images [N, 3, H, W] of float, contiguous or channels_last; returns logits
/// [N, classes]. Parameters and buffers have the names and shapes of torchvision's models, and
/// initial values their distributions; a bottleneck's stride is at its 3x3 convolution, as there.
/// Source: He et al., "Deep residual learning for image recognition", CVPR 2016.
class ResNetImpl : public torch::nn::Module {
 public:
  explicit ResNetImpl(const ResNetOptions& options);

  torch::Tensor forward(const torch::Tensor& images);

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d bn1_;
  std::vector<torch::nn::Sequential> stages_;
  torch::nn::Linear fc_{nullptr};
};
TORCH_MODULE(ResNet);

/// Two stages of one block, for small images: 314,954 parameters for 10 classes.
ResNet small_resnet(std::int64_t classes);
/// 11,689,512 parameters for 1000 classes.
ResNet resnet18(std::int64_t classes = 1000);
/// 25,557,032 parameters for 1000 classes.
ResNet resnet50(std::int64_t classes = 1000);

/// Lays out the weights of all convolutions as channels_last, as cuDNN's fastest kernels for
/// float16 and bfloat16 take them. To be done before an optimizer is made.
void to_channels_last(torch::nn::Module& module);

}  // namespace examples
