// Batches on a device whose work is late: values are right when kernels see them, and no slot is
// used again before them.
#include "tests/engine/fake_producer.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/device/simulated.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/torch/batches.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::SequentialSampler;

constexpr StreamRef current{};  // LibTorch's current stream of a device that it does not know
constexpr std::size_t samples = 14;

/// Queues a kernel that copies a tensor's memory when it runs; does not hold the tensor.
void look_at(SimulatedDevice& device, const at::Tensor& tensor, at::Tensor& seen) {
  seen = at::zeros(tensor.sizes(), tensor.options());
  device.launch(current, [from = tensor.data_ptr(), to = seen.data_ptr(), bytes = tensor.nbytes()] {
    std::memcpy(to, from, bytes);
  });
}

void expect_clean(const SimulatedDevice& device) {
  EXPECT_TRUE(device.violations().empty()) << device.violations().front();
  EXPECT_EQ(device.leaks().text(), "nothing");
}

/// A batch's tensors as a kernel saw them.
struct Look {
  at::Tensor data, target;
};

class SimulatedStacks : public ::testing::TestWithParam<int> {};

TEST_P(SimulatedStacks, ShowEachKernelItsBatch) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto device = simulated(seed, {.progress = 0.1});
    std::vector<std::unique_ptr<Look>> looks;
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    {
      auto loader = torch::make_data_loader<SequentialSampler>(
          stacked_numbers(samples), DataLoaderOptions(3)
                                        .workers(static_cast<std::size_t>(GetParam()))
                                        .stoker_device(device)
                                        .device_prefetch(2));
      std::vector<Example> kept;
      for (int epoch = 0; epoch < 2; ++epoch) {
        for (auto& batch : *loader) {
          looks.push_back(std::make_unique<Look>());
          look_at(*device, batch.data, looks.back()->data);
          look_at(*device, batch.target, looks.back()->target);
          kept.push_back(std::move(batch));
          while (kept.size() > random() % 4) {
            std::swap(kept[random() % kept.size()], kept.back());
            kept.pop_back();
          }
        }
      }
      device->synchronize();
    }
    ASSERT_EQ(looks.size(), 10U);
    for (std::size_t b = 0; b < looks.size(); ++b) {
      const auto first = static_cast<std::int64_t>(b % 5 * 3);
      const auto targets = from_to(first, std::min<std::int64_t>(first + 3, samples));
      ASSERT_EQ(numbers_in(looks[b]->target), targets) << "seed " << seed;
      for (std::size_t i = 0; i < targets.size(); ++i) {
        ASSERT_TRUE(at::equal(looks[b]->data[static_cast<std::int64_t>(i)],
                              Numbers::sample(static_cast<std::size_t>(targets[i])).data));
      }
    }
    device->synchronize();
    expect_clean(*device);
  }
}

TEST_P(SimulatedStacks, OfOneAddressShowEachKernelItsBatch) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto device = simulated(seed, {.progress = 0.1});
    std::vector<std::unique_ptr<Look>> looks;
    {
      auto loader =
          torch::make_data_loader(stacked_numbers(samples), stoker::RandomSampler(samples),
                                  DataLoaderOptions(4)
                                      .workers(static_cast<std::size_t>(GetParam()))
                                      .stoker_device(device)
                                      .drop_last(true)
                                      .static_batch(true));
      const void* address = nullptr;
      for (int epoch = 0; epoch < 2; ++epoch) {
        for (auto& batch : *loader) {
          if (address == nullptr) address = batch.data.data_ptr();
          ASSERT_EQ(batch.data.data_ptr(), address);
          looks.push_back(std::make_unique<Look>());
          look_at(*device, batch.target, looks.back()->target);
        }
      }
      device->synchronize();
    }
    std::vector<std::uint64_t> order(samples);
    for (std::size_t b = 0; b < looks.size(); ++b) {
      stoker::RandomSampler(samples).order(0, b / 3)->read(0, order);
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(b % 3 * 4);
      ASSERT_EQ(numbers_in(looks[b]->target), std::vector<std::int64_t>(first, first + 4));
    }
    ASSERT_EQ(looks.size(), 6U);
    expect_clean(*device);
  }
}

TEST_P(SimulatedStacks, OfTensorsThatOutliveTheLoaderGoBackBehindTheirKernel) {
  const auto device = simulated(5, {.progress = 0});
  Look look;
  {
    at::Tensor kept;
    {
      auto loader = torch::make_data_loader<SequentialSampler>(
          stacked_numbers(samples),
          DataLoaderOptions(3).workers(static_cast<std::size_t>(GetParam())).stoker_device(device));
      kept = loader->begin()->target;
    }
    look_at(*device, kept, look.target);
  }
  device->synchronize();
  EXPECT_EQ(numbers_in(look.target), from_to(0, 3));
  expect_clean(*device);
}

TEST_P(SimulatedStacks, FailWhereACopyFailsAndGoOn) {
  const auto device = simulated(1);
  auto loader = torch::make_data_loader<SequentialSampler>(
      stacked_numbers(samples), DataLoaderOptions(samples)
                                    .workers(static_cast<std::size_t>(GetParam()))
                                    .stoker_device(device));
  device->fail_copy(1);
  EXPECT_THROW(*loader->begin(), Error);
  Look look;
  look_at(*device, loader->begin()->target, look.target);
  device->synchronize();
  EXPECT_EQ(numbers_in(look.target), from_to(0, samples));
}

INSTANTIATE_TEST_SUITE_P(Workers, SimulatedStacks, ::testing::Values(0, 1, 3));

TEST(SimulatedBatches, OfANativeLoaderShowEachKernelItsBatch) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto device = simulated(seed, {.progress = 0.1});
    std::vector<at::Tensor> looks;
    std::vector<at::Tensor> indices;
    {
      LoaderOptions options{.batch_size = 3, .shuffle = true, .num_workers = 2};
      options.device = device;
      options.device_prefetch = 2;
      options.on_all_held = OnAllHeld::grow;
      Loader loader(std::make_shared<stoker::testing::FakeProducer>(samples), options);
      std::vector<Batch> kept;
      for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
        for (Batch& batch : batches(loader, epoch)) {
          look_at(*device, batch.data, looks.emplace_back());
          indices.push_back(batch.indices);
          if (batch.number % 2 == 0) {
            batch.record_use(c10::Stream(c10::Stream::DEFAULT, c10::kCPU));
            kept.push_back(std::move(batch));
          }
          if (kept.size() == 3) kept.erase(kept.begin() + 1);
        }
      }
      device->synchronize();
    }
    ASSERT_EQ(looks.size(), 10U);
    for (std::size_t b = 0; b < looks.size(); ++b) {
      ASSERT_TRUE(at::equal(looks[b].select(1, 0), indices[b])) << "seed " << seed;
    }
    expect_clean(*device);
  }
}

}  // namespace
}  // namespace stoker::torch::testing
