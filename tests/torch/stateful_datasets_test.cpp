// Datasets that know what comes next: streams with state, chunks read ahead.
// The binding's header comes in front of LibTorch's: it must bring what those do not.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/same_batches.hpp"
#include <stoker/torch.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::RandomSampler;
using data::samplers::SequentialSampler;

/// Gives 0, 1, ... and is exhausted behind `last`. Copies share their place.
struct Stream : data::datasets::StatefulDataset<Stream, std::vector<Example>> {
  explicit Stream(std::size_t last) : size_of_stream(last) {}

  decltype(std::declval<StatefulDataset&>().get_batch(1)) get_batch(std::size_t size) override {
    const std::lock_guard lock(place->mutex);
    std::vector<Example> batch;
    while (batch.size() < size && place->next < size_of_stream) {
      batch.push_back(Numbers::sample(place->next++));
    }
    if (batch.empty()) return {};
    return batch;
  }
  void reset() override { place->next = 0; }
  OptionalSize size() const override { return {}; }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}

  struct Place {
    std::mutex mutex;
    std::size_t next = 0;
  };
  std::size_t size_of_stream;
  std::shared_ptr<Place> place = std::make_shared<Place>();
};

/// Workers that share a dataset may bring batches in another order.
template <class MakeDataset>
void expect_torchs_batches_in_some_order(const MakeDataset& make, std::size_t batch_size) {
  ::torch::manual_seed(3);
  auto theirs = data::make_data_loader(make(), data::DataLoaderOptions(batch_size));
  std::vector<std::vector<std::string>> expected;
  for (int epoch = 0; epoch < 3; ++epoch) expected.push_back(epoch_of(*theirs));
  ASSERT_FALSE(expected[0].empty());
  for (const std::size_t workers : {0, 1, 3}) {
    for (const bool in_order : {true, false}) {
      SCOPED_TRACE("workers " + std::to_string(workers));
      ::torch::manual_seed(3);
      auto ours = torch::make_data_loader(
          make(), DataLoaderOptions(batch_size).workers(workers).enforce_ordering(in_order));
      EXPECT_EQ(sorted(epoch_of(*ours)), sorted(expected[0]));
      EXPECT_EQ(epoch_of(*ours, 2).size(), 2U);  // left early
      EXPECT_EQ(sorted(epoch_of(*ours)), sorted(expected[2]));
    }
  }
}

TEST(StatefulDatasets, StreamsOfVectors) {
  expect_torchs_batches_in_some_order([] { return Stream(23); }, 4);
  expect_torchs_batches_in_some_order([] { return Stream(24); }, 4);
}

TEST(StatefulDatasets, StreamsThatATransformStacks) {
  expect_torchs_batches_in_some_order(
      [] {
        return Stream(23)
            .map(data::transforms::Normalize<>(0.5, 2.0))
            .map(data::transforms::Stack<>());
      },
      4);
}

TEST(StatefulDatasets, KeepTheirOrderWithOneWorker) {
  for (const std::size_t workers : {0, 1}) {
    auto loader = torch::make_data_loader(Stream(23).map(data::transforms::Stack<>()),
                                          DataLoaderOptions(4).workers(workers));
    EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 23));
    EXPECT_EQ(targets_of_epoch(*loader), from_to(0, 23));
  }
}

TEST(StatefulDatasets, ThatAreExhaustedAtOnceGiveNothing) {
  for (const std::size_t workers : {0, 1, 3}) {
    auto loader = torch::make_data_loader(Stream(0), DataLoaderOptions(4).workers(workers));
    EXPECT_EQ(epoch_of(*loader).size(), 0U);
    EXPECT_EQ(epoch_of(*loader).size(), 0U);
  }
}

TEST(StatefulDatasets, LeaveOutALastBatchThatIsNotFullWhereAsked) {
  for (const std::size_t workers : {0, 1, 3}) {
    const auto options = DataLoaderOptions(4).workers(workers).drop_last(true);
    auto stacked_stream =
        torch::make_data_loader(Stream(23).map(data::transforms::Stack<>()), options);
    auto whole = torch::make_data_loader(Stream(24), options);
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::vector<std::int64_t> targets = targets_of_epoch(*stacked_stream);
      std::ranges::sort(targets);
      EXPECT_EQ(targets, from_to(0, 20));
      EXPECT_EQ(epoch_of(*whole).size(), 6U);
    }
  }
}

/// Gives three batches of a type that does not tell how many samples it has.
struct Opaque : data::datasets::StatefulDataset<Opaque, std::string> {
  decltype(std::declval<StatefulDataset&>().get_batch(1)) get_batch(std::size_t) override {
    if (given == 3) return {};
    return std::to_string(given++);
  }
  void reset() override { given = 0; }
  OptionalSize size() const override { return {}; }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}
  int given = 0;
};

TEST(StatefulDatasets, OfUnknownBatchesCannotLeaveOneOut) {
  auto loader = torch::make_data_loader(Opaque(), DataLoaderOptions(4));
  std::vector<std::string> batches;
  for (const std::string& batch : *loader) batches.push_back(batch);
  EXPECT_EQ(batches, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_NE(message_of_error(
                ErrorCode::invalid_argument,
                [] { torch::make_data_loader(Opaque(), DataLoaderOptions(4).drop_last(true)); })
                .find("drop_last needs"),
            std::string::npos);
}

/// Four chunks of numbers, of 5, 6, 7 and 8.
struct Chunks : data::datasets::ChunkDataReader<Example> {
  using BatchType = ChunkType;
  ChunkType read_chunk(std::size_t chunk) override {
    ChunkType examples;
    for (std::size_t i = 0; i < 5 + chunk; ++i) {
      examples.push_back(Numbers::sample(10 * chunk + i));
    }
    return examples;
  }
  std::size_t chunk_count() override { return 4; }
  void reset() override {}
};

template <class Sampler>
auto chunks(std::size_t preloaders) {
  return data::datasets::make_shared_dataset<
      data::datasets::ChunkDataset<Chunks, Sampler, Sampler>>(
      Chunks(), Sampler(0), Sampler(0), data::datasets::ChunkDatasetOptions(preloaders, 4, 16));
}

TEST(StatefulDatasets, ChunksInOrder) {
  expect_torchs_batches_in_some_order([] { return chunks<SequentialSampler>(1); }, 4);
  expect_torchs_batches_in_some_order(
      [] { return chunks<SequentialSampler>(1).map(data::transforms::Stack<>()); }, 4);
}

TEST(StatefulDatasets, ShuffledChunksGiveEverySampleOnce) {
  std::vector<std::int64_t> all;
  for (std::int64_t chunk = 0; chunk < 4; ++chunk) {
    const auto numbers = from_to(10 * chunk, 10 * chunk + 5 + chunk);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  for (const std::size_t workers : {0, 1, 3}) {
    auto loader = torch::make_data_loader(chunks<RandomSampler>(2).map(data::transforms::Stack<>()),
                                          DataLoaderOptions(4).workers(workers));
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::vector<std::int64_t> targets = targets_of_epoch(*loader);
      std::ranges::sort(targets);
      EXPECT_EQ(targets, all);
      loader->begin();  // left at once
    }
  }
}

}  // namespace
}  // namespace stoker::torch::testing
