// LibTorch's samplers, and ones of a program's own, in stoker's loaders.
#include <stoker/torch/samplers.hpp>

#include "tests/engine/fake_producer.hpp"
#include "tests/torch/archives.hpp"
#include "tests/torch/same_batches.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/weighted_sampler.hpp>

#include <memory>

namespace stoker::torch::testing {
namespace {

namespace samplers = data::samplers;
using Indices = std::vector<std::size_t>;
using OptionalIndices = TorchSampler::OptionalIndices;

TEST(Samplers, OfOneRankOfSeveral) {
  const auto make = [] { return stacked_numbers(23); };
  for (const bool duplicates : {true, false}) {
    for (const std::size_t rank : {0, 2}) {
      expect_torchs_batches(make, samplers::DistributedRandomSampler(23, 3, rank, duplicates), 3);
      expect_torchs_batches(make, samplers::DistributedSequentialSampler(23, 3, rank, duplicates),
                            3);
    }
  }
}

/// Passes everything on to a sampler that the program keeps in its hand.
struct Kept : samplers::Sampler<> {
  explicit Kept(std::shared_ptr<Sampler<>> shared) : sampler(std::move(shared)) {}
  void reset(OptionalSize new_size = {}) override { sampler->reset(new_size); }
  OptionalIndices next(std::size_t batch_size) override { return sampler->next(batch_size); }
  void save(::torch::serialize::OutputArchive& archive) const override { sampler->save(archive); }
  void load(::torch::serialize::InputArchive& archive) override { sampler->load(archive); }
  std::shared_ptr<Sampler<>> sampler;
};

TEST(Samplers, HeedTheEpochThatTheyAreTold) {
  const auto epochs = [](auto make_loader) {
    const auto sampler = std::make_shared<samplers::DistributedRandomSampler>(23, 2, 1);
    auto loader = make_loader(Kept(sampler));
    std::vector<std::vector<std::int64_t>> all;
    for (const std::size_t epoch : {0, 1, 5}) {
      sampler->set_epoch(epoch);
      all.push_back(targets_of_epoch(*loader));
    }
    return all;
  };
  const auto theirs = epochs([](auto sampler) {
    return data::make_data_loader(stacked_numbers(23), sampler, data::DataLoaderOptions(4));
  });
  const auto ours = epochs([](auto sampler) {
    return torch::make_data_loader(stacked_numbers(23), sampler, DataLoaderOptions(4).workers(2));
  });
  EXPECT_EQ(ours, theirs);
  EXPECT_NE(ours[0], ours[1]);
}

/// Epoch e has e + 2 batches, each one sample larger than the one before, whatever is asked for.
struct Growing : samplers::Sampler<> {
  void reset(OptionalSize /*new_size*/ = {}) override { ++epoch, batch = 0; }
  OptionalIndices next(std::size_t /*batch_size*/) override {
    if (batch == epoch + 1) return {};
    Indices indices;
    for (std::size_t i = 0; i <= epoch + batch; ++i) indices.push_back((epoch * 5 + i) % 23);
    ++batch;
    return indices;
  }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}
  std::size_t epoch = 0, batch = 0;
};

TEST(Samplers, OfBatchesAndEpochsThatGrow) {
  expect_torchs_batches([] { return stacked_numbers(23); }, Growing(), 2);
  expect_torchs_batches([] { return Numbers(23); }, Growing(), 2);
}

TEST(Samplers, OfEpochsThatShrink) {
  struct Shrinking : Growing {
    Shrinking() { epoch = 5; }
    void reset(OptionalSize /*new_size*/ = {}) override { --epoch, batch = 0; }
  };
  expect_torchs_batches([] { return stacked_numbers(23); }, Shrinking(), 2);
}

std::vector<std::int64_t> order_of(const stoker::Sampler& sampler, std::uint64_t epoch) {
  std::vector<std::uint64_t> indices(sampler.size());
  sampler.order(6, epoch)->read(0, indices);
  return {indices.begin(), indices.end()};
}

/// Two epochs, the second one stopped and gone on with, in the order of a sampler of stoker's.
template <class MakeLoader>
void expect_order_and_resume(const stoker::Sampler& sampler, const MakeLoader& make) {
  for (const std::size_t workers : {0, 2}) {
    const auto options = DataLoaderOptions(4).workers(workers).seed(6);
    auto loader = make(options);
    EXPECT_EQ(targets_of_epoch(*loader), order_of(sampler, 0)) << sampler.text();
    std::vector<std::int64_t> targets = numbers_in(loader->begin()->target);
    auto other = make(options);
    load(*other, saved(*loader));
    for (const std::int64_t target : targets_of_epoch(*other)) targets.push_back(target);
    EXPECT_EQ(targets, order_of(sampler, 1)) << sampler.text();
    EXPECT_EQ(targets_of_epoch(*other), order_of(sampler, 2)) << sampler.text();
  }
}

TEST(Samplers, OfStokersKeepTheirOrder) {
  const std::vector<std::shared_ptr<const stoker::Sampler>> all{
      std::make_shared<stoker::RandomSampler>(23),
      std::make_shared<stoker::DistributedSampler>(23, RankSplit{1, 2}),
      std::make_shared<stoker::DistributedSampler>(23, RankSplit{2, 3, Remainder::uneven}),
      std::make_shared<stoker::WeightedSampler>(std::vector<double>(23, 1.0), 40)};
  for (const auto& sampler : all) {
    expect_order_and_resume(*sampler, [&](const DataLoaderOptions& options) {
      return torch::make_data_loader(stacked_numbers(23), sampler, options);
    });
    expect_order_and_resume(*sampler, [&](const DataLoaderOptions& options) {
      return torch::make_data_loader(stacked_numbers(23), TorchSampler(sampler, 6), options);
    });
  }
}

TEST(Samplers, OfStokersKeepTheirOrderInWholeBatches) {
  auto loader = torch::make_data_loader(Numbers(23), stoker::RandomSampler(23),
                                        DataLoaderOptions(4).workers(2).seed(6));
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<std::int64_t> targets;
    for (const auto& batch : *loader) {
      for (const Example& example : batch) targets.push_back(example.target.item<std::int64_t>());
    }
    EXPECT_EQ(targets, order_of(stoker::RandomSampler(23), epoch));
  }
}

/// The indices of a native loader's batches.
std::vector<Indices> batches_of(Loader& loader, std::uint64_t epoch) {
  std::vector<Indices> all;
  for (const Batch& batch : loader.epoch(epoch)) {
    all.emplace_back(batch.indices().begin(), batch.indices().end());
  }
  return all;
}

std::vector<Indices> drawn_from(samplers::RandomSampler& sampler, std::size_t batch_size) {
  std::vector<Indices> all;
  sampler.reset();
  while (auto batch = sampler.next(batch_size)) all.push_back(*batch);
  return all;
}

TEST(Samplers, OfTorchMakeTheBatchesOfANativeLoader) {
  for (const int workers : {0, 2}) {
    LoaderOptions options{.num_workers = workers};
    options.batch_sampler = std::make_shared<DrawnBatches>(samplers::RandomSampler(23), 4);
    Loader loader(std::make_shared<stoker::testing::FakeProducer>(23), options);
    ::torch::manual_seed(8);
    samplers::RandomSampler sampler(23);
    std::vector<std::vector<Indices>> expected;
    for (int epoch = 0; epoch < 3; ++epoch) expected.push_back(drawn_from(sampler, 4));
    ::torch::manual_seed(8);
    static_cast<void>(samplers::RandomSampler(23));  // as large a draw as the one above
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      EXPECT_EQ(batches_of(loader, epoch), expected[epoch]);
      EXPECT_EQ(loader.size(), std::uint64_t{1} << 40) << "the most that an epoch may have";
    }
  }
}

TEST(Samplers, OfTorchCanLeaveOutALastBatch) {
  const DrawnBatches drawn(samplers::SequentialSampler(23), 4, true);
  EXPECT_EQ(drawn.size_of(0), 5U);
  EXPECT_EQ(drawn.max_batch_size(), 4U);
}

TEST(Samplers, OfTorchTellAnEpochTheSameWayTwice) {
  const DrawnBatches drawn(samplers::RandomSampler(100), 10);
  drawn.draw(3);
  std::vector<std::uint64_t> first(10), again(10), next(10);
  drawn.order(0, 3)->read(0, first);
  drawn.order(0, 4)->read(0, next);
  drawn.order(0, 3)->read(0, again);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, next);
}

}  // namespace
}  // namespace stoker::torch::testing
