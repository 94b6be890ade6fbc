// A `get` that does not come back while the test holds a gate shut.
#include "tests/engine/fake_producer.hpp"
#include "tests/sources/expect_error.hpp"
#include "tests/torch/datasets.hpp"
#include "tests/torch/timeouts.hpp"
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::SequentialSampler;
using std::chrono::milliseconds;
using stoker::testing::Gate;

constexpr std::size_t samples = 12;

/// Numbers, of which number 5 waits at a gate.
auto waiting_at(Gate& gate) {
  return stacked_pairs(samples, [&gate](std::size_t index) {
    if (index == 5) gate.pass();
    return Numbers::sample(index);
  });
}

TEST(BlockedSamples, TimeOutWithTheirName) {
  Gate gate;
  auto loader = torch::make_data_loader<SequentialSampler>(
      waiting_at(gate), DataLoaderOptions(4).workers(2).timeout(milliseconds(50)));
  auto it = past_timeouts([&] { return loader->begin(); });
  gate.wait_for_arrivals(1);
  const std::string message = message_of_error(ErrorCode::timeout, [&] { ++it; });
  EXPECT_NE(message.find("no batch within 50 ms"), std::string::npos) << message;
  EXPECT_NE(message.find("sample 5 \"get(5)\" is being produced"), std::string::npos) << message;
  gate.open();
  past_timeouts([&] { return ++it, 0; });  // the batch is not lost, be it after more waiting
  EXPECT_EQ(numbers_in(it->target), from_to(4, 8));
}

TEST(BlockedSamples, HoldUpNoOtherLoader) {
  Gate gate;
  auto loader =
      torch::make_data_loader<SequentialSampler>(waiting_at(gate), DataLoaderOptions(4).workers(2));
  auto it = loader->begin();
  gate.wait_for_arrivals(1);
  for (int i = 0; i < 20; ++i) {
    auto other = torch::make_data_loader<SequentialSampler>(stacked_numbers(samples),
                                                            DataLoaderOptions(2).workers(1));
    EXPECT_EQ(targets_of_epoch(*other), from_to(0, samples));
  }
  gate.open();
  EXPECT_EQ(numbers_in(it->target), from_to(0, 4));
}

TEST(BlockedSamples, TimeOutAlsoWhereItIsTheFirstOne) {
  Gate gate;
  const auto first_waits = [&] {
    return stacked_pairs(samples, [&](std::size_t index) {
      if (index == 0) gate.pass();
      return Numbers::sample(index);
    });
  };
  const auto options = DataLoaderOptions(4).workers(2).timeout(milliseconds(50));
  auto by_torch = torch::make_data_loader<SequentialSampler>(first_waits(), options);
  auto by_stoker =
      torch::make_data_loader(first_waits(), stoker::SequentialSampler(samples), options);
  for (int i = 0; i < 2; ++i) {
    for (auto* loader : {by_torch.get(), by_stoker.get()}) {
      EXPECT_NE(message_of_error(ErrorCode::timeout, [&] { loader->begin(); }).find("get(0)"),
                std::string::npos);
    }
  }
  gate.open();
  EXPECT_EQ(targets_past_timeouts(*by_torch), from_to(0, samples));
  EXPECT_EQ(targets_past_timeouts(*by_stoker), from_to(0, samples));
}

/// Makes batches as a whole; the second one waits at a gate.
struct WaitingBatches : data::datasets::BatchDataset<WaitingBatches, at::Tensor> {
  explicit WaitingBatches(Gate& where) : gate(&where) {}
  at::Tensor get_batch(c10::ArrayRef<std::size_t> indices) override {
    if (indices[0] == 4) gate->pass();
    return at::full({1}, static_cast<std::int64_t>(indices[0]), at::kLong);
  }
  OptionalSize size() const override { return samples; }
  Gate* gate;
};

TEST(BlockedBatches, AreWaitedForWithATimeoutThatNeverEnds) {
  Gate gate;
  auto loader = torch::make_data_loader<SequentialSampler>(
      WaitingBatches(gate), DataLoaderOptions(4).workers(2).timeout(milliseconds::max()));
  loader->begin();
  gate.wait_for_arrivals(1);
  const std::jthread opener([&] { gate.open(); });
  EXPECT_EQ(loader->begin()->item<std::int64_t>(), 0);
}

TEST(BlockedBatches, TimeOutWithTheirName) {
  Gate gate;
  auto loader = torch::make_data_loader<SequentialSampler>(
      WaitingBatches(gate), DataLoaderOptions(4).workers(2).timeout(milliseconds(50)));
  auto it = loader->begin();
  gate.wait_for_arrivals(1);
  EXPECT_NE(message_of_error(ErrorCode::timeout, [&] { ++it; }).find("get_batch 1"),
            std::string::npos);
  gate.open();
}

TEST(BlockedBatches, TimeOutWhereAnEpochBegins) {
  Gate gate;
  auto loader = torch::make_data_loader<SequentialSampler>(
      WaitingBatches(gate), DataLoaderOptions(4).workers(2).timeout(milliseconds(50)));
  loader->begin();
  gate.wait_for_arrivals(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(
        message_of_error(ErrorCode::timeout, [&] { loader->begin(); }).find("an epoch begins"),
        std::string::npos);
  }
  gate.open();
  std::vector<std::int64_t> firsts;
  for_each_past_timeouts(
      *loader, [&](const at::Tensor& batch) { firsts.push_back(batch.item<std::int64_t>()); });
  EXPECT_EQ(firsts, (std::vector<std::int64_t>{0, 4, 8}));
}

/// The first call of get_batch waits at a gate; the others find that there is no more.
struct WaitingStream : data::datasets::StatefulDataset<WaitingStream, at::Tensor> {
  explicit WaitingStream(Gate& where) : gate(&where) {}
  decltype(std::declval<StatefulDataset&>().get_batch(1)) get_batch(std::size_t) override {
    if (calls->fetch_add(1) > 0) return {};
    gate->pass();
    return at::ones({1});
  }
  void reset() override {}
  OptionalSize size() const override { return {}; }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}
  Gate* gate;
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>();
};

TEST(BlockedBatches, TimeOutBehindTheEndOfAStatefulDataset) {
  Gate gate;
  auto loader = torch::make_data_loader(
      WaitingStream(gate),
      DataLoaderOptions(4).workers(2).enforce_ordering(false).timeout(milliseconds(50)));
  auto it = loader->begin();
  EXPECT_NE(message_of_error(ErrorCode::timeout, [&] { *it; }).find("behind the dataset's last"),
            std::string::npos);
  gate.open();
  int batches = 0;
  while (past_timeouts([&] { return it != loader->end(); })) {
    EXPECT_TRUE(at::equal(*it, at::ones({1})));
    ++batches;
    past_timeouts([&] { return ++it, 0; });
  }
  EXPECT_EQ(batches, 1);
}

/// Counts who is inside of `get`.
struct Inside {
  std::atomic<int>& count;
  explicit Inside(std::atomic<int>& where) : count(where) { ++count; }
  ~Inside() { --count; }
};

TEST(BlockedSamples, AreWaitedForByTheDestructor) {
  Gate gate;
  std::atomic<int> inside = 0;
  auto loader =
      torch::make_data_loader<SequentialSampler>(stacked_pairs(samples,
                                                               [&](std::size_t index) {
                                                                 const Inside here(inside);
                                                                 if (index == 5) gate.pass();
                                                                 return Numbers::sample(index);
                                                               }),
                                                 DataLoaderOptions(4).workers(2));
  const at::Tensor kept = loader->begin()->target;
  gate.wait_for_arrivals(1);
  std::thread destruction([&] {
    loader.reset();
    EXPECT_EQ(inside, 0);
  });
  gate.open();
  destruction.join();
  EXPECT_EQ(numbers_in(kept), from_to(0, 4));
}

template <class Loader, class First>
void expect_next_epoch_is_whole(Loader& loader, Gate& gate, const First& first) {
  loader.begin();  // left at once
  gate.wait_for_arrivals(1);
  gate.open();
  auto it = loader.begin();
  EXPECT_EQ(first(*it), 0);
  std::size_t batches = 0;
  for (; it != loader.end(); ++it) ++batches;
  EXPECT_EQ(batches, 3U);
}

TEST(BlockedSamples, OfAnEpochThatWasLeftDoNotReachTheNext) {
  Gate gate;
  auto loader =
      torch::make_data_loader<SequentialSampler>(waiting_at(gate), DataLoaderOptions(4).workers(2));
  expect_next_epoch_is_whole(*loader, gate, [](const auto& batch) {
    return batch.target[0].template item<std::int64_t>();
  });
}

TEST(BlockedBatches, OfAnEpochThatWasLeftDoNotReachTheNext) {
  Gate gate;
  auto loader = torch::make_data_loader<SequentialSampler>(WaitingBatches(gate),
                                                           DataLoaderOptions(4).workers(2));
  expect_next_epoch_is_whole(*loader, gate,
                             [](const at::Tensor& batch) { return batch.item<std::int64_t>(); });
}

/// One worker is told that the stream is exhausted while another's call is about to fail.
struct FailsAtTheEnd : data::datasets::StatefulDataset<FailsAtTheEnd, std::vector<at::Tensor>> {
  struct Place {
    Gate exhausted;
    std::atomic<int> calls = 0;
  };
  decltype(std::declval<StatefulDataset&>().get_batch(1)) get_batch(std::size_t) override {
    const int call = place->calls++;
    if (call == 0) return std::vector<at::Tensor>{at::ones({1})};
    if (call == 1) {
      place->exhausted.pass();
      throw std::runtime_error("the stream broke");
    }
    place->exhausted.open();
    return {};
  }
  void reset() override {}
  OptionalSize size() const override { return {}; }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}
  std::shared_ptr<Place> place = std::make_shared<Place>();
};

TEST(BlockedBatches, ThatFailAtTheEndOfAStreamAreNotForgotten) {
  for (const bool in_order : {true, false}) {
    const auto stream = detail::boxed_stateful(
        FailsAtTheEnd(), DataLoaderOptions(1).workers(2).enforce_ordering(in_order));
    stream->start();
    int batches = 0, failures = 0;
    for (bool more = true; more;) {
      try {
        more = stream->next().has_value();
        if (more) ++batches;
      } catch (const Error& error) {
        EXPECT_EQ(error.message(), "the stream broke");
        ++failures;
      }
    }
    EXPECT_EQ(batches, 1);
    EXPECT_EQ(failures, 1);
  }
}

}  // namespace
}  // namespace stoker::torch::testing
