#pragma once

#include "labelled_images.hpp"

#include <torch/data/datasets/base.h>
#include <torch/data/example.h>

#include <cstddef>
#include <utility>

namespace examples {

/// Images in memory as a data set for LibTorch's loader: sample i is the float32 image [C, H, W] in
/// [0, 1] and its label, int64 []. Copies share the images.
class ImageDataset : public torch::data::datasets::Dataset<ImageDataset> {
 public:
  explicit ImageDataset(LabelledImages data) : data_(std::move(data)) {}

  torch::data::Example<> get(std::size_t index) override {
    const auto place = static_cast<std::int64_t>(index);
    return {data_.images[place].to(torch::kFloat32).div_(255), data_.labels[place]};
  }
  torch::optional<std::size_t> size() const override {
    return static_cast<std::size_t>(data_.labels.size(0));
  }

 private:
  LabelledImages data_;
};

}  // namespace examples
