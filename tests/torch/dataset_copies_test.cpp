// Who uses which copy of a dataset, and how often `get` is called.
#include "tests/torch/archives.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::RandomSampler;
using data::samplers::SequentialSampler;

constexpr std::size_t samples = 500;

/// What all copies of a dataset know together.
struct Census {
  std::atomic<int> alive = 0;
  std::atomic<int> copying = 0;
  std::atomic<int> collisions = 0;
  std::vector<std::atomic<int>> calls = std::vector<std::atomic<int>>(samples);
};

/// Counts copies, calls, calls of a copy that is in use, and copies that are made at the same time.
template <class Self>
struct Counted {
  explicit Counted(std::shared_ptr<Census> shared) : census(std::move(shared)) { ++census->alive; }
  Counted(const Counted& other) : census(other.census) {
    if (census->copying++ > 0) ++census->collisions;
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    --census->copying;
    ++census->alive;
  }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --census->alive; }

  void enter() {
    if (busy.exchange(true)) ++census->collisions;
  }
  void leave() { busy = false; }

  std::shared_ptr<Census> census;
  std::atomic<bool> busy = false;
};

struct CountedSamples : data::datasets::Dataset<CountedSamples>, Counted<CountedSamples> {
  using Counted::Counted;
  Example get(std::size_t index) override {
    enter();
    ++census->calls[index];
    Example sample = Numbers::sample(index);
    leave();
    return sample;
  }
  OptionalSize size() const override { return samples; }
};

struct CountedBatches : data::datasets::BatchDataset<CountedBatches, at::Tensor>,
                        Counted<CountedBatches> {
  using Counted::Counted;
  at::Tensor get_batch(c10::ArrayRef<std::size_t> indices) override {
    enter();
    for (const std::size_t index : indices) ++census->calls[index];
    at::Tensor batch = at::ones({static_cast<std::int64_t>(indices.size())});
    leave();
    return batch;
  }
  OptionalSize size() const override { return samples; }
};

/// Every sample was asked for `wanted` times; some once more where the next epoch is read ahead.
void expect_calls(const Census& census, int wanted, bool ahead = false) {
  for (std::size_t i = 0; i < samples; ++i) {
    ASSERT_GE(census.calls[i], wanted) << i;
    ASSERT_LE(census.calls[i], wanted + (ahead ? 1 : 0)) << i;
  }
}

/// Walks three epochs of a loader over counted copies.
template <class MakeLoader>
void expect_own_copies(const MakeLoader& make, bool ahead = false) {
  for (const std::size_t workers : {0, 1, 4}) {
    const auto census = std::make_shared<Census>();
    auto loader = make(census, DataLoaderOptions(7).workers(workers));
    for (int epoch = 1; epoch <= 3; ++epoch) {
      for (auto& batch : *loader) static_cast<void>(batch);
      expect_calls(*census, epoch, ahead && workers > 0);
    }
    EXPECT_LE(census->alive, static_cast<int>(std::max<std::size_t>(workers, 1)) + 1);
    EXPECT_EQ(census->collisions, 0);
    loader.reset();
    EXPECT_EQ(census->alive, 0);
  }
}

TEST(DatasetCopies, AreTheWorkersOwn) {
  expect_own_copies([](const auto& census, const DataLoaderOptions& options) {
    return torch::make_data_loader(CountedSamples(census).map(data::transforms::Stack<>()),
                                   RandomSampler(samples), options);
  });
  expect_own_copies(
      [](const auto& census, const DataLoaderOptions& options) {
        return torch::make_data_loader(CountedSamples(census).map(data::transforms::Stack<>()),
                                       stoker::RandomSampler(samples), options);
      },
      true);
}

TEST(DatasetCopies, ThatMakeWholeBatchesAreTheWorkersOwn) {
  expect_own_copies([](const auto& census, const DataLoaderOptions& options) {
    return torch::make_data_loader(CountedBatches(census), RandomSampler(samples), options);
  });
}

TEST(DatasetCopies, AreNotMadeOfSharedDatasets) {
  for (const std::size_t workers : {0, 4}) {
    const auto census = std::make_shared<Census>();
    const auto options = DataLoaderOptions(7).workers(workers);
    auto stack =
        torch::make_data_loader(data::datasets::make_shared_dataset<CountedSamples>(census).map(
                                    data::transforms::Stack<>()),
                                RandomSampler(samples), options);
    auto whole =
        torch::make_data_loader(data::datasets::make_shared_dataset<CountedBatches>(census),
                                RandomSampler(samples), options);
    for (auto& batch : *stack) static_cast<void>(batch);
    for (auto& batch : *whole) static_cast<void>(batch);
    EXPECT_EQ(census->alive, 2);
    expect_calls(*census, 2);
  }
}

TEST(DatasetCopies, AreNotMadeBeforeTheFirstEpoch) {
  const auto census = std::make_shared<Census>();
  auto loader = torch::make_data_loader(CountedSamples(census).map(data::transforms::Stack<>()),
                                        RandomSampler(samples), DataLoaderOptions(7).workers(4));
  EXPECT_EQ(census->alive, 1);
  expect_calls(*census, 0);
}

/// Where a run goes on, nothing before that place is read.
template <class Sampler>
void expect_only_the_rest_is_read(const Sampler& sampler) {
  const auto make = [&](const std::shared_ptr<Census>& census) {
    return torch::make_data_loader(CountedSamples(census).map(data::transforms::Stack<>()), sampler,
                                   DataLoaderOptions(100));
  };
  auto first = make(std::make_shared<Census>());
  auto it = first->begin();
  ++it;
  const auto census = std::make_shared<Census>();
  auto loader = make(census);
  load(*loader, saved(*first));
  EXPECT_EQ(targets_of_epoch(*loader), from_to(200, samples));
  for (std::size_t i = 0; i < samples; ++i) ASSERT_EQ(census->calls[i], i < 200 ? 0 : 1) << i;
}

TEST(DatasetCopies, AreAskedForTheRestOnlyWhereARunGoesOn) {
  expect_only_the_rest_is_read(SequentialSampler(samples));
  expect_only_the_rest_is_read(stoker::SequentialSampler(samples));
}

}  // namespace
}  // namespace stoker::torch::testing
