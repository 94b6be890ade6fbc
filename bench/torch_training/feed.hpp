#pragma once

#include "bench/torch_training/training.hpp"
#include <stoker/sources/file_source.hpp>

#include <torch/types.h>

#include <memory>
#include <string>

namespace stoker::bench {

/// What a training step takes.
struct TrainingBatch {
  torch::Tensor data;    ///< [N, 3, H, W] in channels_last, on the device
  torch::Tensor target;  ///< int64 [N], there too
};

/// Where training gets its batches from, without an end. Used by one thread.
class TrainingFeed {
 public:
  TrainingFeed() = default;
  TrainingFeed(const TrainingFeed&) = delete;
  TrainingFeed& operator=(const TrainingFeed&) = delete;
  virtual ~TrainingFeed() = default;

  /// Returns the next batch, for work on the device's current stream.
  virtual TrainingBatch next() = 0;
  /// What the report says of it, besides times.
  virtual Json describe() const = 0;
};

/// What all feeds are made from.
struct FeedSetup {
  TrainingOptions options;
  std::shared_ptr<const FileSource> photos;
  std::uint64_t repeat = 1;  ///< an epoch walks the photos that often
  torch::Device device = torch::kCPU;
  std::int64_t classes = 1000;  ///< more where the photos' labels need them

  /// The type that the first layer computes in: what a feed can give without a cast.
  torch::ScalarType dtype() const { return device.is_cuda() ? torch::kBFloat16 : torch::kFloat32; }
  /// The pipeline of each sample, to float32 [3, H, W].
  std::string pipeline() const;
};

/// One batch of random numbers that lies on the device already.
std::unique_ptr<TrainingFeed> synthetic_feed(const FeedSetup& setup);
/// LibTorch's own loader. Where there is a device its workers also pin what they stack; the loop
/// copies without waiting.
std::unique_ptr<TrainingFeed> torch_feed(const FeedSetup& setup);
/// A loader of stoker's.
std::unique_ptr<TrainingFeed> stoker_feed(const FeedSetup& setup);

}  // namespace stoker::bench
