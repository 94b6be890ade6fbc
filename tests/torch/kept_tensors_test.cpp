// Tensors that a program keeps: whatever becomes of the others and of the loader, they stay as they
// are.
#include "tests/engine/walk_photos.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/torch/batches.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::SequentialSampler;

/// Sample i: 1000 floats of i.
auto filled(std::size_t size) {
  return stacked_pairs(size, [](std::size_t i) -> Example {
    return {at::full({1000}, static_cast<double>(i)),
            at::scalar_tensor(static_cast<std::int64_t>(i), at::kLong)};
  });
}

void expect_whole(const Example& batch) {
  const at::Tensor wanted = batch.target.to(at::kFloat).unsqueeze(1).expand(batch.data.sizes());
  EXPECT_TRUE(at::equal(batch.data, wanted));
}

TEST(KeptTensors, CanBeAllOfAnEpochs) {
  std::vector<Example> kept;
  {
    auto loader = torch::make_data_loader<SequentialSampler>(
        filled(400), DataLoaderOptions(4).workers(2).max_jobs(2));
    for (auto& batch : *loader) kept.push_back(batch);
    EXPECT_GE(loader->stats().slots_grown, 90U);
    for (auto& batch : *loader) kept.push_back(std::move(batch));
  }
  ASSERT_EQ(kept.size(), 200U);
  for (const Example& batch : kept) expect_whole(batch);
}

TEST(KeptTensors, StayWhileOthersGoInAnyOrder) {
  auto loader = torch::make_data_loader<SequentialSampler>(
      filled(2000), DataLoaderOptions(4).workers(2).max_jobs(3));
  std::mt19937 random(9);
  std::vector<Example> kept;
  for (auto& batch : *loader) {
    kept.push_back(std::move(batch));
    while (kept.size() > random() % 12) {
      const std::size_t victim = random() % kept.size();
      expect_whole(kept[victim]);
      std::swap(kept[victim], kept.back());
      kept.pop_back();
    }
  }
  for (const Example& batch : kept) expect_whole(batch);
}

/// A queue of batches that threads look at and drop.
class Droppers {
 public:
  explicit Droppers(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { drop(i); });
  }
  ~Droppers() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void give(Example batch) {
    {
      const std::lock_guard lock(mutex_);
      batches_.push_back(std::move(batch));
    }
    changed_.notify_all();
  }

 private:
  void drop(int seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<Example> kept;
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !batches_.empty(); });
      if (batches_.empty()) break;
      kept.push_back(std::move(batches_.front()));
      batches_.pop_front();
      lock.unlock();
      while (kept.size() > random() % 6) {
        std::swap(kept[random() % kept.size()], kept.back());
        expect_whole(kept.back());
        // A view of the data is the last to go.
        const at::Tensor view = kept.back().data.slice(0, 1).t();
        kept.pop_back();
      }
    }
    for (const Example& batch : kept) expect_whole(batch);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Example> batches_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

TEST(KeptTensors, CanGoOnSeveralThreadsAtOnce) {
  Droppers droppers(3);
  {
    auto loader = torch::make_data_loader(filled(2000), stoker::RandomSampler(2000),
                                          DataLoaderOptions(4).workers(2).max_jobs(3));
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (auto& batch : *loader) droppers.give(std::move(batch));
    }
  }  // some outlive it
}

TEST(KeptTensors, OfAnEpochThatWasLeftStay) {
  auto loader =
      torch::make_data_loader<SequentialSampler>(filled(100), DataLoaderOptions(4).workers(2));
  std::vector<Example> kept;
  for (int epoch = 0; epoch < 20; ++epoch) {
    for (auto& batch : *loader) {
      kept.push_back(batch);
      if (batch.target[0].item<std::int64_t>() == 4 * (epoch % 5)) break;
    }
  }
  for (const Example& batch : kept) expect_whole(batch);
}

TEST(KeptTensors, MayBeWrittenTo) {
  auto loader = torch::make_data_loader<SequentialSampler>(
      filled(40), DataLoaderOptions(4).workers(2).max_jobs(2));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto& batch : *loader) {
      expect_whole(batch);
      batch.data.mul_(-1).add_(7);
      batch.target.zero_();
    }
  }
}

TEST(KeptTensors, OfAClosedLoaderCanBeTrainedWith) {
  const at::Tensor weight = at::ones({1000}).requires_grad_(true);
  at::Tensor loss;
  {
    auto loader = torch::make_data_loader<SequentialSampler>(filled(8), DataLoaderOptions(4));
    for (auto& batch : *loader) {
      const at::Tensor output = at::mv(batch.data, weight).sum();
      loss = loss.defined() ? loss + output : output;
    }
  }
  loss.backward();
  EXPECT_TRUE(at::equal(weight.grad(), at::full({1000}, 28.0)));
}

/// All images of an epoch through a pipeline.
std::vector<at::Tensor> images(const std::string& pipeline) {
  const MemorySource source = stoker::testing::photos();
  LoaderOptions options{.batch_size = 3, .seed = 2, .num_workers = 2};
  options.on_all_held = OnAllHeld::grow;
  Loader loader(source, Pipeline::parse("decode | random_resized_crop(32) | " + pipeline), options);
  std::vector<at::Tensor> all;
  for (Batch& batch : batches(loader, 0)) {
    EXPECT_EQ(batch.data.sizes().slice(1), (std::vector<std::int64_t>{3, 32, 32}));
    EXPECT_TRUE(at::equal(batch.target, batch.indices + 100));
    all.push_back(batch.data);
  }
  EXPECT_EQ(all.size(), 3U);
  return all;
}

TEST(ImageTensors, InNhwcAreChannelsLastAndHoldTheSameImages) {
  for (const std::string dtype : {"float32", "uint8", "float16", "bfloat16"}) {
    const std::vector<at::Tensor> planar = images("to(" + dtype + ", NCHW)");
    const std::vector<at::Tensor> interleaved = images("to(" + dtype + ", NHWC)");
    for (std::size_t b = 0; b < planar.size(); ++b) {
      EXPECT_TRUE(planar[b].is_contiguous());
      EXPECT_TRUE(interleaved[b].is_contiguous(at::MemoryFormat::ChannelsLast));
      EXPECT_TRUE(at::equal(planar[b], interleaved[b])) << dtype;
      EXPECT_GT(planar[b].to(at::kFloat).std().item<float>(), 0.0F);
    }
  }
}

TEST(ImageTensors, InNhwcStayChannelsLastInAConvolution) {
  const at::Tensor weight = at::rand({4, 3, 3, 3});
  const at::Tensor planar = images("to(float32, NCHW)")[0];
  const at::Tensor interleaved = images("to(float32, NHWC)")[0];
  const at::Tensor output =
      at::conv2d(interleaved, weight.contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(output.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::allclose(output, at::conv2d(planar, weight), 1e-4, 1e-2));
  const at::Tensor clone = interleaved.clone();
  EXPECT_TRUE(clone.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::equal(clone, interleaved));
}

}  // namespace
}  // namespace stoker::torch::testing
