// Copies of a dataset that are not made while the test holds a gate shut.
#include "tests/engine/fake_producer.hpp"
#include "tests/sources/expect_error.hpp"
#include "tests/torch/datasets.hpp"
#include "tests/torch/timeouts.hpp"
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::SequentialSampler;
using std::chrono::milliseconds;
using stoker::testing::Gate;

constexpr std::size_t samples = 12;

/// Makes batches as a whole. Its copy constructor waits at a gate.
struct SlowToCopy : data::datasets::BatchDataset<SlowToCopy, at::Tensor> {
  explicit SlowToCopy(Gate& where) : gate(&where) {}
  SlowToCopy(const SlowToCopy& other) : BatchDataset(other), gate(other.gate), calls(other.calls) {
    gate->pass();
  }
  SlowToCopy(SlowToCopy&&) = default;
  SlowToCopy& operator=(const SlowToCopy&) = delete;
  SlowToCopy& operator=(SlowToCopy&&) = delete;
  ~SlowToCopy() = default;

  at::Tensor get_batch(c10::ArrayRef<std::size_t> indices) override {
    ++*calls;
    return at::full({1}, static_cast<std::int64_t>(indices[0]), at::kLong);
  }
  OptionalSize size() const override { return samples; }

  Gate* gate;
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
};

auto made(SlowToCopy dataset, milliseconds timeout) {
  return torch::make_data_loader<SequentialSampler>(
      std::move(dataset), DataLoaderOptions(4).workers(2).timeout(timeout));
}

/// The first index of each batch of an epoch.
template <class Loader>
std::vector<std::int64_t> firsts_of_epoch(Loader& loader) {
  std::vector<std::int64_t> firsts;
  for_each_past_timeouts(
      loader, [&](const at::Tensor& batch) { firsts.push_back(batch.item<std::int64_t>()); });
  return firsts;
}

const std::vector<std::int64_t> all_firsts{0, 4, 8};

TEST(BlockedCopies, TimeOutInWhateverWaitsForThem) {
  Gate gate;
  auto loader = made(SlowToCopy(gate), milliseconds(50));
  auto it = loader->begin();
  gate.wait_for_arrivals(1);
  EXPECT_NE(message_of_error(ErrorCode::timeout, [&] { *it; }).find("get_batch 0"),
            std::string::npos);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(
        message_of_error(ErrorCode::timeout, [&] { loader->begin(); }).find("copy constructor"),
        std::string::npos);
  }
  gate.open();
  EXPECT_EQ(firsts_of_epoch(*loader), all_firsts);
}

TEST(BlockedCopies, MakeNoBatchOfAnEpochThatIsOver) {
  Gate gate;
  SlowToCopy dataset(gate);
  const auto calls = dataset.calls;
  auto loader = made(std::move(dataset), milliseconds(50));
  loader->begin();
  gate.wait_for_arrivals(1);
  message_of_error(ErrorCode::timeout, [&] { loader->begin(); });
  gate.open();
  EXPECT_EQ(firsts_of_epoch(*loader), all_firsts);
  EXPECT_EQ(*calls, 3) << "a batch was made that nobody waits for";
}

/// Counts the epochs that it draws.
struct CountedSampler : SequentialSampler {
  explicit CountedSampler(std::shared_ptr<int> count)
      : SequentialSampler(samples), epochs(std::move(count)) {}
  void reset(OptionalSize new_size = {}) override {
    ++*epochs;
    SequentialSampler::reset(new_size);
  }
  std::shared_ptr<int> epochs;
};

TEST(BlockedCopies, LoseNoEpochOfTheSamplers) {
  Gate gate;
  const auto epochs = std::make_shared<int>(0);
  auto loader = torch::make_data_loader(SlowToCopy(gate), CountedSampler(epochs),
                                        DataLoaderOptions(4).workers(2).timeout(milliseconds(50)));
  loader->begin();
  gate.wait_for_arrivals(1);
  for (int i = 0; i < 3; ++i) {
    message_of_error(ErrorCode::timeout, [&] { loader->begin(); });
  }
  gate.open();
  EXPECT_EQ(firsts_of_epoch(*loader), all_firsts);
  EXPECT_EQ(*epochs, 2);
}

/// A data set that counts its copies; those of a SlowStack wait at a gate, but for the first one,
/// which is made with the loader.
struct SlowStack : Numbers {
  explicit SlowStack(Gate& where) : Numbers(samples), gate(&where) {}
  SlowStack(const SlowStack& other) : Numbers(other), gate(other.gate), copies(other.copies) {
    if (copies->fetch_add(1) > 0) gate->pass();
  }
  SlowStack(SlowStack&&) = default;
  SlowStack& operator=(const SlowStack&) = delete;
  SlowStack& operator=(SlowStack&&) = delete;
  ~SlowStack() = default;

  Gate* gate;
  std::shared_ptr<std::atomic<int>> copies = std::make_shared<std::atomic<int>>(0);
};

TEST(BlockedCopies, OfStackedDatasetsTimeOut) {
  Gate gate;
  auto loader = torch::make_data_loader<SequentialSampler>(
      data::datasets::map(SlowStack(gate), data::transforms::Stack<>()),
      DataLoaderOptions(4).workers(2).timeout(milliseconds(50)));
  for (int i = 0; i < 2; ++i) {
    message_of_error(ErrorCode::timeout, [&] { loader->begin(); });
  }
  gate.open();
  auto it = past_timeouts([&] { return loader->begin(); });
  EXPECT_EQ(numbers_in(past_timeouts([&] { return it->target; })), from_to(0, 4));
}

TEST(BlockedCopies, AreWaitedForByTheDestructor) {
  Gate gate;
  auto loader = made(SlowToCopy(gate), milliseconds(50));
  loader->begin();
  gate.wait_for_arrivals(1);
  std::thread destruction([&] { loader.reset(); });
  gate.open();
  destruction.join();
  EXPECT_EQ(loader, nullptr);
}

}  // namespace
}  // namespace stoker::torch::testing
