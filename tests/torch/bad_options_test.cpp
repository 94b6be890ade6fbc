// Options, samplers and datasets that cannot be met.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::RandomSampler;
using data::samplers::SequentialSampler;

/// Makes loaders of every kind and begins an epoch: each must refuse these options.
std::string message_of_options(const DataLoaderOptions& options,
                               ErrorCode code = ErrorCode::invalid_argument) {
  const auto refused = [&](auto&&... arguments) {
    return message_of_error(code, [&] { torch::make_data_loader(arguments..., options)->begin(); });
  };
  refused(stacked_numbers(10), stoker::SequentialSampler(10));
  refused(Numbers(10), SequentialSampler(10));
  return refused(stacked_numbers(10), SequentialSampler(10));
}

TEST(BadOptions, ABatchSizeOfZero) {
  EXPECT_NE(message_of_options(DataLoaderOptions(0)).find("batch_size is 0"), std::string::npos);
}

TEST(BadOptions, TooManyWorkers) {
  for (const std::size_t workers : {std::size_t{1025}, SIZE_MAX}) {
    EXPECT_NE(message_of_options(DataLoaderOptions(4).workers(workers)).find("num_workers"),
              std::string::npos);
  }
}

TEST(BadOptions, TooManyJobs) {
  EXPECT_NE(message_of_options(DataLoaderOptions(4).max_jobs(1 << 20)).find("prefetch"),
            std::string::npos);
}

TEST(BadOptions, ANegativeTimeout) {
  for (const std::size_t workers : {0, 2}) {
    const auto options =
        DataLoaderOptions(4).workers(workers).timeout(std::chrono::milliseconds(-1));
    EXPECT_NE(message_of_options(options).find("timeout must not be negative"), std::string::npos);
  }
}

TEST(BadOptions, ADeviceOfAnotherKind) {
  EXPECT_NE(message_of_options(DataLoaderOptions(4).device(at::kMeta), ErrorCode::unsupported)
                .find("meta"),
            std::string::npos);
}

TEST(BadOptions, AreRefusedBeforeAnythingIsRead) {
  int calls = 0;
  const auto counted = [&] {
    return stacked(10, [&](std::size_t) {
      ++calls;
      return at::zeros({1});
    });
  };
  const auto four = DataLoaderOptions(4);
  const std::chrono::milliseconds negative(-5);
  for (const DataLoaderOptions& options :
       {DataLoaderOptions(0), DataLoaderOptions(four).device(at::kMeta),
        DataLoaderOptions(four).timeout(negative),
        DataLoaderOptions(four).workers(2).timeout(negative),
        DataLoaderOptions(four).workers(2).timeout(std::chrono::milliseconds::min()),
        DataLoaderOptions(four).workers(1025), DataLoaderOptions(four).max_jobs(1 << 20),
        DataLoaderOptions(four).device_prefetch(1)}) {
    EXPECT_THROW(torch::make_data_loader(counted(), SequentialSampler(10), options), Error);
    EXPECT_THROW(torch::make_data_loader(counted(), stoker::SequentialSampler(10), options), Error);
    EXPECT_THROW(torch::make_data_loader(Numbers(10), SequentialSampler(10), options), Error);
  }
  EXPECT_EQ(calls, 0);
}

TEST(BadOptions, NoJobsAheadStillGivesBatches) {
  auto loader = torch::make_data_loader<SequentialSampler>(stacked_numbers(10),
                                                           DataLoaderOptions(4).max_jobs(0));
  EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 10));
}

TEST(BadOptions, WhatWholeBatchesCannotHave) {
  const auto message = [](const DataLoaderOptions& options) {
    return message_of_error(ErrorCode::invalid_argument, [&] {
      torch::make_data_loader(Numbers(10), SequentialSampler(10), options);
    });
  };
  EXPECT_NE(message(DataLoaderOptions(4).static_batch(true)).find("static_batch needs"),
            std::string::npos);
  EXPECT_NE(message(DataLoaderOptions(4).on_error(OnError::skip)).find("on_error = skip needs"),
            std::string::npos);
  EXPECT_NE(message(DataLoaderOptions(4).stoker_device(host())).find("stoker_device needs"),
            std::string::npos);
}

/// Does not tell how many samples it has.
struct Unknown : Numbers {
  using Numbers::Numbers;
  OptionalSize size() const override { return {}; }
};

TEST(BadOptions, SkippingInADatasetOfUnknownSize) {
  EXPECT_NE(message_of_error(ErrorCode::invalid_argument,
                             [] {
                               torch::make_data_loader(
                                   data::datasets::map(Unknown(0), data::transforms::Stack<>()),
                                   SequentialSampler(10),
                                   DataLoaderOptions(4).on_error(OnError::skip));
                             })
                .find("does not tell its size"),
            std::string::npos);
}

TEST(BadDatasets, OfUnknownSizeNeedASampler) {
  const auto dataset = [] { return data::datasets::map(Unknown(0), data::transforms::Stack<>()); };
  EXPECT_NE(message_of_error(ErrorCode::invalid_argument,
                             [&] { torch::make_data_loader<RandomSampler>(dataset(), 4); })
                .find("does not tell its size"),
            std::string::npos);
  auto loader = torch::make_data_loader(dataset(), SequentialSampler(10), 4);
  EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 10));
}

TEST(BadDatasets, ThatAreEmptyHaveNoBatches) {
  for (const std::size_t workers : {0, 2}) {
    const auto options = DataLoaderOptions(4).workers(workers);
    auto random = torch::make_data_loader(stacked_numbers(0), options);
    auto sequential = torch::make_data_loader<SequentialSampler>(stacked_numbers(0), options);
    auto whole = torch::make_data_loader<SequentialSampler>(Numbers(0), options);
    auto rows = torch::make_data_loader(data::datasets::TensorDataset(at::zeros({0, 3}))
                                            .map(data::transforms::Stack<data::TensorExample>()),
                                        SequentialSampler(0), options);
    for (int epoch = 0; epoch < 2; ++epoch) {
      EXPECT_EQ(random->begin(), random->end());
      EXPECT_EQ(sequential->begin(), sequential->end());
      EXPECT_EQ(whole->begin(), whole->end());
      EXPECT_EQ(rows->begin(), rows->end());
    }
  }
}

TEST(BadDatasets, ThatAreEmptyAreRefusedWithASamplerOfStokers) {
  auto loader = torch::make_data_loader(stacked_numbers(0), stoker::SequentialSampler(0), 4);
  message_of_error(ErrorCode::empty_source, [&] { loader->begin(); });
}

/// Gives the batches that it was made with.
struct Scripted : data::samplers::Sampler<> {
  using Batch = std::vector<std::size_t>;
  explicit Scripted(std::vector<Batch> script) : batches(std::move(script)) {}
  void reset(OptionalSize /*new_size*/ = {}) override { place = 0; }
  decltype(std::declval<Sampler<>&>().next(1)) next(std::size_t) override {
    if (place == batches.size()) return {};
    return batches[place++];
  }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}
  std::vector<Batch> batches;
  std::size_t place = 0;
};

TEST(BadSamplers, WithAnEmptyBatch) {
  const std::vector<std::vector<Scripted::Batch>> scripts{{{}, {1}}, {{1}, {}, {2}}, {{}}};
  for (const auto& script : scripts) {
    auto loader = torch::make_data_loader(stacked_numbers(10), Scripted(script), 4);
    EXPECT_NE(
        message_of_error(ErrorCode::invalid_argument, [&] { loader->begin(); }).find("no indices"),
        std::string::npos);
  }
}

TEST(BadSamplers, WithIndicesThatTheDatasetDoesNotHave) {
  for (const std::size_t workers : {0, 2}) {
    std::atomic<std::size_t> largest = 0;
    auto loader = torch::make_data_loader(stacked_pairs(10,
                                                        [&](std::size_t index) {
                                                          if (index > largest) largest = index;
                                                          return Numbers::sample(index % 10);
                                                        }),
                                          Scripted({{1, 2}, {3, 10}, {4, 5}}),
                                          DataLoaderOptions(2).workers(workers));
    auto it = loader->begin();
    EXPECT_NE(message_of_error(ErrorCode::invalid_argument, [&] { ++it; }).find("index 10 of"),
              std::string::npos);
    ++it;
    EXPECT_EQ(numbers_in(it->target), (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(largest, 5U) << "the dataset was asked for what it does not have";
  }
}

template <class Sampler>
void expect_first_index_refused(const Sampler& sampler, std::size_t size) {
  std::size_t largest = 0;
  auto loader = torch::make_data_loader(stacked_pairs(size,
                                                      [&](std::size_t index) {
                                                        largest = std::max(largest, index);
                                                        return Numbers::sample(index);
                                                      }),
                                        sampler, 2);
  EXPECT_NE(message_of_error(ErrorCode::invalid_argument, [&] { *loader->begin(); }).find("index"),
            std::string::npos);
  EXPECT_LT(largest, size) << "the dataset was asked for what it does not have";
}

TEST(BadSamplers, WhoseFirstIndexTheDatasetDoesNotHave) {
  expect_first_index_refused(Scripted({{10, 1}, {2}}), 10);
  expect_first_index_refused(stoker::RandomSampler(1000), 1);
}

TEST(BadSamplers, WhoseFirstIndexARowOfATensorDoesNotHave) {
  auto loader = torch::make_data_loader(data::datasets::TensorDataset(at::zeros({10, 3}))
                                            .map(data::transforms::Stack<data::TensorExample>()),
                                        Scripted({{10, 1}, {2}}), 2);
  EXPECT_NE(message_of_error(ErrorCode::invalid_argument, [&] { *loader->begin(); }).find("index"),
            std::string::npos);
}

TEST(BadSamplers, ThatAreNull) {
  message_of_error(ErrorCode::invalid_argument, [] {
    torch::make_data_loader(stacked_numbers(10), std::shared_ptr<const stoker::Sampler>(), 4);
  });
}

TEST(StaticBatches, AreRefusedWhileTheOneBeforeIsHeld) {
  for (const std::size_t workers : {0, 2}) {
    auto loader = torch::make_data_loader<SequentialSampler>(
        stacked_numbers(10),
        DataLoaderOptions(4).workers(workers).static_batch(true).drop_last(true));
    auto it = loader->begin();
    const void* const address = it->data.data_ptr();
    at::Tensor held = it->target[1];
    message_of_error(ErrorCode::invalid_state, [&] { ++it; });
    held.reset();
    ++it;
    EXPECT_EQ(it->data.data_ptr(), address);
    EXPECT_EQ(numbers_in(it->target), from_to(4, 8));
    EXPECT_EQ(++it, loader->end());
  }
}

TEST(StaticBatches, HaveNoPlacesWithoutSamples) {
  for (const bool by_torch : {true, false}) {
    const auto options = DataLoaderOptions(4).static_batch(true);
    auto loader =
        by_torch
            ? torch::make_data_loader(stacked_numbers(10), SequentialSampler(10), options)
            : torch::make_data_loader(stacked_numbers(10), stoker::SequentialSampler(10), options);
    EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 10));
  }
}

TEST(BadIterators, AtTheEnd) {
  auto loader = torch::make_data_loader<SequentialSampler>(stacked_numbers(10), 10);
  const auto expect_no_batch = [](auto it) {
    for (const std::function<void()>& use :
         {std::function<void()>([&] { *it; }), std::function<void()>([&] { it->data.size(0); }),
          std::function<void()>([&] { ++it; })}) {
      EXPECT_NE(message_of_error(ErrorCode::invalid_state, use).find("at the end"),
                std::string::npos);
    }
  };
  expect_no_batch(loader->end());
  expect_no_batch(++loader->begin());
  EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 10));
}

TEST(BadIterators, OfAnEpochBehindWhichAnotherWasBegun) {
  auto loader = torch::make_data_loader<SequentialSampler>(stacked_numbers(10), 4);
  auto outer = loader->begin();
  EXPECT_NE(outer, loader->end());
  auto inner = loader->begin();
  message_of_error(ErrorCode::invalid_state, [&] { ++outer; });
  message_of_error(ErrorCode::invalid_state, [&] { *outer; });
  EXPECT_EQ(numbers_in(inner->target), from_to(0, 4));
}

}  // namespace
}  // namespace stoker::torch::testing
