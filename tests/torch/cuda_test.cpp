#include <stoker/samplers/random_sampler.hpp>
#include <stoker/torch.hpp>

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stoker::torch {
namespace {

namespace data = ::torch::data;

constexpr std::int64_t elements = 1 << 16;

/// Sample i: `elements` times i, and i.
struct Constants : data::datasets::Dataset<Constants> {
  explicit Constants(std::size_t size) : count(size) {}
  data::Example<> get(std::size_t index) override {
    const auto i = static_cast<std::int64_t>(index);
    return {at::full({elements}, static_cast<float>(i)), at::full({}, i, at::kLong)};
  }
  decltype(std::declval<data::datasets::TensorDataset&>().size()) size() const override {
    return count;
  }
  std::size_t count;
};

auto constants_loader(std::size_t size, DataLoaderOptions options) {
  return torch::make_data_loader(Constants(size).map(data::transforms::Stack<>()),
                                 data::samplers::SequentialSampler(size), std::move(options));
}

class TorchOnCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!::torch::cuda::is_available()) GTEST_SKIP() << "there is no CUDA device";
  }
};

/// Keeps the current stream busy for some milliseconds, so that what is queued behind comes late.
void keep_busy() {
  const at::Tensor a = at::rand({4096, 4096}, at::kCUDA);
  for (int i = 0; i < 4; ++i) at::mm(a, a);
}

TEST_F(TorchOnCuda, BatchesAreReadyOnTheCurrentStreamAndNotOverwrittenBeforeItIsDone) {
  auto loader = constants_loader(
      400, DataLoaderOptions(4).workers(2).device(c10::kCUDA).on_all_held(OnAllHeld::wait));
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(stream);
  at::Tensor sums = at::zeros({100}, at::TensorOptions(at::kCUDA).dtype(at::kDouble));
  std::int64_t number = 0;
  for (auto& batch : *loader) {
    ASSERT_TRUE(batch.data.is_cuda());
    ASSERT_TRUE(batch.target.is_cuda());
    keep_busy();
    sums[number++] = batch.data.sum(at::kDouble);
  }
  stream.synchronize();
  const at::Tensor expected =
      (at::arange(100, at::kDouble) * 16 + 6) * static_cast<double>(elements);
  EXPECT_TRUE(at::equal(sums.cpu(), expected));
}

TEST_F(TorchOnCuda, RecordUseHoldsTheSlotForAnotherStream) {
  auto loader = constants_loader(
      200, DataLoaderOptions(4).workers(2).device(c10::kCUDA).on_all_held(OnAllHeld::wait));
  const c10::cuda::CUDAStream other = c10::cuda::getStreamFromPool();
  at::Tensor sums = at::zeros({50}, at::TensorOptions(at::kCUDA).dtype(at::kDouble));
  c10::cuda::getCurrentCUDAStream().synchronize();
  std::int64_t number = 0;
  for (auto& batch : *loader) {
    at::cuda::CUDAEvent ready;
    ready.record();
    ready.block(other);
    const c10::cuda::CUDAStreamGuard guard(other);
    ASSERT_TRUE(record_use(batch.data, other));
    keep_busy();
    sums[number++] = batch.data.sum(at::kDouble);
  }
  other.synchronize();
  const at::Tensor expected =
      (at::arange(50, at::kDouble) * 16 + 6) * static_cast<double>(elements);
  EXPECT_TRUE(at::equal(sums.cpu(), expected));
}

TEST_F(TorchOnCuda, TensorsMayBeKeptBeyondTheLoader) {
  std::vector<at::Tensor> kept;
  {
    auto loader = constants_loader(40, DataLoaderOptions(4).workers(2).device(c10::kCUDA));
    for (auto& batch : *loader) kept.push_back(batch.data);
  }
  ASSERT_EQ(kept.size(), 10U);
  for (std::size_t b = 0; b < kept.size(); ++b) {
    EXPECT_EQ(kept[b].max().item<float>(), static_cast<float>(4 * b + 3));
  }
}

TEST_F(TorchOnCuda, BatchesMadeAsAWholeCrossTheBusToo) {
  auto loader = torch::make_data_loader(Constants(10), data::samplers::SequentialSampler(10),
                                        DataLoaderOptions(4).workers(2).device(c10::kCUDA));
  std::int64_t sample = 0;
  for (std::vector<data::Example<>>& batch : *loader) {
    for (const data::Example<>& example : batch) {
      ASSERT_TRUE(example.data.is_cuda());
      EXPECT_EQ(example.data.mean().item<float>(), static_cast<float>(sample));
      EXPECT_EQ(example.target.item<std::int64_t>(), sample++);
    }
  }
  EXPECT_EQ(sample, 10);
}

TEST_F(TorchOnCuda, StaticBatchesFeedACapturedStepWhileTheLoaderRuns) {
  auto loader =
      constants_loader(80, DataLoaderOptions(4).workers(2).device(c10::kCUDA).static_batch(true));
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(stream);
  at::Tensor total = at::zeros({}, at::TensorOptions(at::kCUDA).dtype(at::kDouble));
  at::cuda::CUDAGraph graph;
  std::optional<void*> address;
  std::int64_t number = 0;
  for (auto& batch : *loader) {
    if (!address) {
      address = batch.data.data_ptr();
      graph.capture_begin();
      total.add_(batch.data.sum(at::kDouble));
      graph.capture_end();
    }
    ASSERT_EQ(batch.data.data_ptr(), *address);
    graph.replay();
    stream.synchronize();
    const double samples = static_cast<double>(4 * ++number);
    EXPECT_EQ(total.item<double>(), samples * (samples - 1) / 2 * static_cast<double>(elements));
  }
  EXPECT_EQ(number, 20);
}

TEST_F(TorchOnCuda, TensorsOnTheDeviceAreRefusedFromGet) {
  struct OnDevice : data::datasets::Dataset<OnDevice> {
    data::Example<> get(std::size_t) override {
      return {at::zeros({2}, at::kCUDA), at::zeros({}, at::kLong)};
    }
    decltype(std::declval<data::datasets::TensorDataset&>().size()) size() const override {
      return 4;
    }
  };
  auto loader = torch::make_data_loader(OnDevice().map(data::transforms::Stack<>()),
                                        data::samplers::SequentialSampler(4), 2);
  try {
    loader->begin();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(error.message().find("cuda:0"), std::string::npos) << error.what();
  }
}

/// Device memory is the slots, allocated once, however batches are held and dropped.
TEST_F(TorchOnCuda, HeldAndDroppedBatchesLeaveDeviceMemoryAsItWas) {
  auto loader = constants_loader(80'000, DataLoaderOptions(4).workers(4).device(c10::kCUDA));
  std::vector<at::Tensor> held;
  std::uint64_t random = 1;
  std::size_t free_before = 0, free_after = 0, total = 0;
  std::int64_t number = 0;
  for (auto& batch : *loader) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    if ((random >> 60) < 6) held.push_back(batch.data);
    if (held.size() > 3 || (random >> 60) > 12) held.clear();
    if (++number == 500) cudaMemGetInfo(&free_before, &total);
  }
  held.clear();
  cudaMemGetInfo(&free_after, &total);
  EXPECT_EQ(number, 20'000);
  EXPECT_LE(free_before, free_after + (std::size_t{8} << 20));
}

}  // namespace
}  // namespace stoker::torch
