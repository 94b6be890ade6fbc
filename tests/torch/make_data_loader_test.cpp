#include <stoker/torch/make_data_loader.hpp>

#include "tests/error_of.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::torch {
namespace {

namespace data = ::torch::data;
using Options = DataLoaderOptions;
using Example = data::Example<>;

/// Sample i: data [2, 3] that begins with i, target i.
struct Numbers : data::datasets::Dataset<Numbers> {
  explicit Numbers(std::size_t size) : count(size) {}
  Example get(std::size_t index) override {
    return {at::arange(6, at::kFloat).view({2, 3}) + static_cast<float>(index),
            at::tensor(static_cast<std::int64_t>(index), at::kLong)};
  }
  decltype(std::declval<data::datasets::TensorDataset&>().size()) size() const override {
    return count;
  }
  std::size_t count;
};

auto stacked(std::size_t size) { return Numbers(size).map(data::transforms::Stack<>()); }

std::vector<std::int64_t> targets(const at::Tensor& target) {
  const at::Tensor plain = target.contiguous();
  return {plain.data_ptr<std::int64_t>(), plain.data_ptr<std::int64_t>() + plain.numel()};
}

template <class LoaderPtr>
std::vector<std::int64_t> epoch_of(const LoaderPtr& loader) {
  std::vector<std::int64_t> all;
  for (auto& batch : *loader) {
    const auto some = targets(batch.target);
    all.insert(all.end(), some.begin(), some.end());
    for (std::int64_t i = 0; i < batch.data.size(0); ++i) {
      EXPECT_EQ(batch.data[i][1][2].template item<float>(),
                static_cast<float>(some[static_cast<std::size_t>(i)] + 5));
    }
  }
  return all;
}

std::vector<std::int64_t> up_to(std::int64_t size) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(MakeDataLoader, StacksWhatGetReturns) {
  for (const std::size_t workers : {0, 1, 3}) {
    auto loader = torch::make_data_loader<data::samplers::SequentialSampler>(
        stacked(10), Options(4).workers(workers));
    EXPECT_EQ(epoch_of(loader), up_to(10)) << workers;
    EXPECT_EQ(epoch_of(loader), up_to(10)) << workers;
  }
}

TEST(MakeDataLoader, TakesTorchOptionsAsTheyAre) {
  const auto options = data::DataLoaderOptions(4).workers(2).drop_last(true).max_jobs(3);
  auto loader =
      torch::make_data_loader(stacked(10), data::samplers::SequentialSampler(10), options);
  EXPECT_EQ(epoch_of(loader), up_to(8));
}

/// What a program does with a loader beside walking it compiles for both.
template <class Loader>
void expect_torchs_loader(Loader& loader) {
  const auto batch_size = static_cast<std::size_t>(loader->options().batch_size);
  EXPECT_EQ(batch_size, 4U);
  EXPECT_EQ(loader->options().workers, 2U);
  EXPECT_EQ(loader->options().max_jobs, 4U);
  EXPECT_FALSE(loader->options().timeout);
  EXPECT_TRUE(loader->options().enforce_ordering);
  EXPECT_TRUE(loader->options().drop_last);
  EXPECT_EQ(epoch_of(loader), up_to(8));
  loader->join();
  loader->join();
}

TEST(MakeDataLoader, TellsItsOptionsAndIsJoinedAsTorchsLoader) {
  using Sequential = data::samplers::SequentialSampler;
  const auto options = data::DataLoaderOptions(4).workers(2).drop_last(true);
  auto theirs = data::make_data_loader(stacked(10), Sequential(10), options);
  auto ours = torch::make_data_loader(stacked(10), Sequential(10), options);
  expect_torchs_loader(theirs);
  expect_torchs_loader(ours);
  EXPECT_EQ(ours->stoker_options().batch_size(), 4U);
}

TEST(MakeDataLoader, GivesNothingMoreOnceItIsJoined) {
  for (const std::size_t workers : {0, 2}) {
    auto loader = torch::make_data_loader<data::samplers::SequentialSampler>(
        stacked(10), Options(4).workers(workers));
    auto batch = loader->begin();
    const auto kept = *batch;
    loader->join();
    EXPECT_EQ(kept.data.size(0), 4);
    EXPECT_EQ(loader->stats().batches_delivered, 1U);
    testing::error_of([&] { ++batch; }, ErrorCode::invalid_state);
    testing::error_of([&] { loader->begin(); }, ErrorCode::invalid_state);
    ::torch::serialize::OutputArchive archive;
    testing::error_of([&] { loader->save(archive); }, ErrorCode::invalid_state);
  }
}

TEST(MakeDataLoader, GivesTorchsBatchesInTorchsOrder) {
  for (const std::size_t workers : {0, 2}) {
    ::torch::manual_seed(5);
    auto theirs = data::make_data_loader(stacked(37), data::DataLoaderOptions(5).workers(workers));
    const auto expected_first = epoch_of(theirs), expected_second = epoch_of(theirs);
    ::torch::manual_seed(5);
    auto ours = torch::make_data_loader(stacked(37), Options(5).workers(workers));
    EXPECT_EQ(epoch_of(ours), expected_first);
    EXPECT_EQ(epoch_of(ours), expected_second);
  }
}

TEST(MakeDataLoader, TakesStokersSamplers) {
  auto by_value = torch::make_data_loader(stacked(20), stoker::RandomSampler(20),
                                          Options(6).workers(2).seed(3));
  auto shared = torch::make_data_loader(
      stacked(20), std::make_shared<stoker::SequentialSampler>(20), Options(6).workers(2));
  std::vector<std::uint64_t> order(20);
  stoker::RandomSampler(20).order(3, 0)->read(0, order);
  EXPECT_EQ(epoch_of(by_value), std::vector<std::int64_t>(order.begin(), order.end()));
  EXPECT_EQ(epoch_of(shared), up_to(20));
}

TEST(MakeDataLoader, BreakIsFine) {
  auto loader = torch::make_data_loader<data::samplers::SequentialSampler>(stacked(50),
                                                                           Options(4).workers(2));
  for (auto& batch : *loader) {
    static_cast<void>(batch);
    break;
  }
  EXPECT_EQ(epoch_of(loader), up_to(50));
}

TEST(MakeDataLoader, TensorDatasetsAreCopiedByTheRow) {
  const at::Tensor rows = at::rand({100, 7});
  auto loader = torch::make_data_loader<data::samplers::SequentialSampler>(
      data::datasets::TensorDataset(rows).map(data::transforms::Stack<data::TensorExample>()),
      Options(16).workers(2));
  std::vector<at::Tensor> all;
  for (auto& batch : *loader) all.push_back(batch.data);
  EXPECT_TRUE(at::equal(at::cat(all), rows));
}

TEST(MakeDataLoader, BatchesWithoutStackAreMadeAsAWhole) {
  auto loader = torch::make_data_loader<data::samplers::SequentialSampler>(Numbers(10),
                                                                           Options(4).workers(2));
  std::vector<std::int64_t> all;
  for (std::vector<Example>& batch : *loader) {
    for (Example& example : batch) all.push_back(example.target.item<std::int64_t>());
  }
  EXPECT_EQ(all, up_to(10));
}

}  // namespace
}  // namespace stoker::torch
