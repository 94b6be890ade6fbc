// Where the loader behind a data loader is made anew, and where it need not be.
#include "tests/engine/fake_producer.hpp"
#include "tests/sources/expect_error.hpp"
#include "tests/torch/archives.hpp"
#include "tests/torch/datasets.hpp"
#include "tests/torch/timeouts.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::SequentialSampler;
using std::chrono::milliseconds;
using stoker::testing::Gate;

constexpr std::size_t samples = 12;

/// Gives the batches of an epoch after the other that it was made with, the last ones for ever.
struct Scripted : data::samplers::Sampler<> {
  using Batches = std::vector<std::vector<std::size_t>>;
  explicit Scripted(std::vector<Batches> script) : epochs(std::move(script)) {}
  void reset(OptionalSize /*new_size*/ = {}) override {
    place = 0;
    ++begun;
  }
  decltype(std::declval<Sampler<>&>().next(1)) next(std::size_t) override {
    const Batches& batches = epochs[std::min(begun, epochs.size()) - 1];
    if (place == batches.size()) return {};
    return batches[place++];
  }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}
  std::vector<Batches> epochs;
  std::size_t begun = 0, place = 0;
};

/// The second epoch has a larger batch than the first one.
Scripted growing() { return Scripted({{{0, 1}, {2, 3}, {4, 5}}, {{0, 1, 2, 3, 4}, {6}}}); }

/// What all copies of a dataset know together.
struct Shared {
  Gate gate;
  std::atomic<int> inside = 0;  ///< of `get`
  std::atomic<int> copies = 0;
};

/// Numbers, of which number 5 waits at a gate.
struct Waiting : Numbers {
  explicit Waiting(std::shared_ptr<Shared> all) : Numbers(samples), shared(std::move(all)) {
    ++shared->copies;
  }
  Waiting(const Waiting& other) : Numbers(other), shared(other.shared) { ++shared->copies; }
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { --shared->copies; }

  Example get(std::size_t index) override {
    ++shared->inside;
    if (index == 5) shared->gate.pass();
    --shared->inside;
    return sample(index);
  }
  std::shared_ptr<Shared> shared;
};

const auto two_workers = DataLoaderOptions(2).workers(2);

auto made(const std::shared_ptr<Shared>& shared, const DataLoaderOptions& options) {
  return torch::make_data_loader(data::datasets::map(Waiting(shared), data::transforms::Stack<>()),
                                 growing(), options);
}

/// Begins an epoch, of which a worker then waits at the gate; what is saved is behind its first
/// batch.
template <class Loader>
std::string state_with_a_worker_stuck(Loader& loader, Shared& shared) {
  auto it = past_timeouts([&] { return loader.begin(); });
  EXPECT_EQ(numbers_in(past_timeouts([&] { return it->target; })), from_to(0, 2));
  shared.gate.wait_for_arrivals(1);
  return saved(loader);
}

template <class Loader>
void expect_begin_times_out(Loader& loader) {
  const std::string message = message_of_error(ErrorCode::timeout, [&] { loader.begin(); });
  EXPECT_NE(message.find("before an epoch begins"), std::string::npos) << message;
  EXPECT_NE(message.find("get(5)"), std::string::npos) << message;
}

TEST(RemadeLoaders, ForLargerBatchesWaitForSamplesNoLongerThanTheTimeout) {
  const auto shared = std::make_shared<Shared>();
  auto loader = made(shared, DataLoaderOptions(two_workers).timeout(milliseconds(50)));
  state_with_a_worker_stuck(*loader, *shared);
  for (int i = 0; i < 3; ++i) expect_begin_times_out(*loader);
  shared->gate.open();
  EXPECT_EQ(targets_past_timeouts(*loader), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 6}));
}

TEST(RemadeLoaders, BehindAStateWaitForSamplesNoLongerThanTheTimeout) {
  const auto shared = std::make_shared<Shared>();
  auto loader = made(shared, DataLoaderOptions(two_workers).timeout(milliseconds(50)));
  const std::string state = state_with_a_worker_stuck(*loader, *shared);
  for (int i = 0; i < 3; ++i) {
    load(*loader, state);
    expect_begin_times_out(*loader);
  }
  EXPECT_LE(shared->copies, 3) << "there are more copies than workers, and the one to copy from";
  shared->gate.open();
  EXPECT_EQ(targets_past_timeouts(*loader), from_to(2, 6));
  EXPECT_LE(shared->copies, 3);
}

TEST(RemadeLoaders, DoNotHoldUpTheLoadingOfAState) {
  const auto shared = std::make_shared<Shared>();
  auto loader = made(shared, two_workers);
  const std::string state = state_with_a_worker_stuck(*loader, *shared);
  for (int i = 0; i < 3; ++i) load(*loader, state);
  EXPECT_GE(shared->inside, 1);  // still
  shared->gate.open();
  EXPECT_EQ(targets_past_timeouts(*loader), from_to(2, 6));
}

TEST(RemadeLoaders, AreWaitedForByTheDestructor) {
  const auto shared = std::make_shared<Shared>();
  auto loader = made(shared, two_workers);
  load(*loader, state_with_a_worker_stuck(*loader, *shared));
  std::thread destruction([&] {
    loader.reset();
    EXPECT_EQ(shared->inside, 0);
    EXPECT_EQ(shared->copies, 0);
  });
  shared->gate.open();
  destruction.join();
}

TEST(RemadeLoaders, AreNotNeededForBatchesOfTheSizeThatWasAskedFor) {
  for (const std::size_t workers : {0, 2}) {
    auto loader = torch::make_data_loader(stacked_numbers(samples),
                                          Scripted({{{0}}, {{1, 2}}, {{1, 2, 3}, {4}}, {{5}}}),
                                          DataLoaderOptions(3).workers(workers));
    for (int epoch = 0; epoch < 4; ++epoch) targets_of_epoch(*loader);
    EXPECT_EQ(loader->stats().batches_delivered, 5U);
  }
}

TEST(RemadeLoaders, AreNotNeededForStaticBatches) {
  auto loader = torch::make_data_loader(stacked_numbers(2), Scripted({{{0}}, {{0, 1, 1, 0}}}),
                                        DataLoaderOptions(4).static_batch(true));
  std::set<const void*> addresses;
  for (int epoch = 0; epoch < 3; ++epoch) addresses.insert(loader->begin()->data.data_ptr());
  EXPECT_EQ(addresses.size(), 1U);
}

/// A megabyte a sample: 2^24 of them fit into no memory.
auto large_samples() {
  return stacked(20, [](std::size_t index) {
    return at::full({1 << 18}, static_cast<float>(index), at::kFloat);
  });
}

template <class Loader>
std::vector<std::int64_t> sizes_of_batches(Loader& loader) {
  std::vector<std::int64_t> sizes;
  for (auto& batch : loader) sizes.push_back(batch.data.size(0));
  return sizes;
}

TEST(HugeBatchSizes, TakeRoomForTheSamplesThereAre) {
  const std::size_t limit = std::size_t{1} << 24;
  for (const std::size_t batch_size : {limit, limit + 1, SIZE_MAX}) {
    for (const bool drop_last : {false, true}) {
      const auto options = DataLoaderOptions(batch_size).workers(2).drop_last(drop_last);
      const std::vector<std::int64_t> sizes(drop_last ? 0 : 1, 20);
      auto by_torch = torch::make_data_loader<SequentialSampler>(large_samples(), options);
      auto by_stoker = torch::make_data_loader(large_samples(), stoker::RandomSampler(20), options);
      for (int epoch = 0; epoch < 2; ++epoch) {
        EXPECT_EQ(sizes_of_batches(*by_torch), sizes);
        EXPECT_EQ(sizes_of_batches(*by_stoker), sizes);
      }
    }
  }
}

/// Does not tell how many samples it has.
struct Unknown : Numbers {
  using Numbers::Numbers;
  OptionalSize size() const override { return {}; }
};

TEST(HugeBatchSizes, OfDatasetsOfUnknownSize) {
  auto loader = torch::make_data_loader(
      data::datasets::map(Unknown(samples), data::transforms::Stack<>()),
      Scripted({{{0, 1}}, {{2}, {3, 4, 5}}, {{6}}}), DataLoaderOptions(SIZE_MAX).workers(2));
  EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 2));
  EXPECT_EQ(targets_of_epoch(*loader), from_to(2, 6));
  EXPECT_EQ(targets_of_epoch(*loader), from_to(6, 7));
}

TEST(HugeBatchSizes, GoOnFromAState) {
  auto small = torch::make_data_loader(stacked_numbers(20), stoker::SequentialSampler(20), 4);
  auto it = small->begin();
  ++it;
  auto loader = torch::make_data_loader(stacked_numbers(20), stoker::SequentialSampler(20),
                                        DataLoaderOptions(SIZE_MAX));
  load(*loader, saved(*small));
  EXPECT_EQ(targets_of_epoch(*loader), from_to(8, 20));
  EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 20));
}

}  // namespace
}  // namespace stoker::torch::testing
