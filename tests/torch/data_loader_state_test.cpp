// A data loader's place in an archive: what comes behind it is what would have come.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/archives.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::RandomSampler;
using data::samplers::SequentialSampler;

constexpr std::size_t samples = 23;
const auto four = DataLoaderOptions(4).seed(6);

/// Loaders in the order of LibTorch's random sampler.
struct ByTorch {
  static auto make(const DataLoaderOptions& options) {
    return torch::make_data_loader(stacked_numbers(samples), RandomSampler(samples), options);
  }
};
/// Loaders in the order of stoker's.
struct ByStoker {
  static auto make(const DataLoaderOptions& options) {
    return torch::make_data_loader(stacked_numbers(samples), stoker::RandomSampler(samples),
                                   options);
  }
};

template <class Order>
class DataLoaderState : public ::testing::Test {
 protected:
  void SetUp() override { ::torch::manual_seed(11); }
};
using Orders = ::testing::Types<ByTorch, ByStoker>;
TYPED_TEST_SUITE(DataLoaderState, Orders);

/// Begins an epoch and fetches its first batch.
template <class Loader>
auto first_batch_of(Loader& loader) {
  auto it = loader.begin();
  EXPECT_NE(it, loader.end());
  return it;
}

/// What the rest of an epoch's targets say, from an iterator's batch on.
template <class Loader, class Iterator>
std::vector<std::int64_t> rest_of(Loader& loader, Iterator it) {
  std::vector<std::int64_t> all;
  for (; it != loader.end(); ++it) {
    const auto some = numbers_in(it->target);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// The epoch behind, which LibTorch's samplers draw from its generator.
template <class Loader>
std::vector<std::int64_t> next_epoch(Loader& loader) {
  ::torch::manual_seed(12);
  return targets_of_epoch(loader);
}

TYPED_TEST(DataLoaderState, GoesOnBehindTheBatchesThatWereDelivered) {
  for (const std::size_t workers : {0, 1, 3}) {
    for (int delivered = 1; delivered <= 6; ++delivered) {
      SCOPED_TRACE(delivered);
      auto loader = TypeParam::make(DataLoaderOptions(four).workers(workers));
      targets_of_epoch(*loader);
      auto it = first_batch_of(*loader);
      for (int i = 1; i < delivered; ++i) ++it;
      const std::string archive = saved(*loader);
      const std::vector<std::int64_t> rest = rest_of(*loader, ++it);
      const std::vector<std::int64_t> next = next_epoch(*loader);

      auto other = TypeParam::make(DataLoaderOptions(four).workers(2 - workers / 2));
      load(*other, archive);
      if (!rest.empty()) {
        EXPECT_EQ(targets_of_epoch(*other), rest);
      }
      EXPECT_EQ(next_epoch(*other), next);
    }
  }
}

TYPED_TEST(DataLoaderState, BehindAnEpochsEndIsTheNextEpoch) {
  auto loader = TypeParam::make(four);
  targets_of_epoch(*loader);
  const std::string archive = saved(*loader);
  const auto next = next_epoch(*loader);
  auto other = TypeParam::make(four);
  load(*other, archive);
  EXPECT_EQ(next_epoch(*other), next);
}

TYPED_TEST(DataLoaderState, OfALoaderThatNeverBeganIsTheFirstEpoch) {
  const std::string archive = saved(*TypeParam::make(four));
  auto loader = TypeParam::make(four);
  load(*loader, archive);
  EXPECT_EQ(next_epoch(*loader), next_epoch(*TypeParam::make(four)));
  load(*loader, archive);  // also where others have begun since
  EXPECT_EQ(next_epoch(*loader), next_epoch(*TypeParam::make(four)));
}

TYPED_TEST(DataLoaderState, TakesALoaderBackThatHasGoneOn) {
  for (const int later : {0, 1, 2}) {
    auto loader = TypeParam::make(DataLoaderOptions(four).workers(1));
    auto it = first_batch_of(*loader);
    ++it;
    const std::string archive = saved(*loader);
    const std::vector<std::int64_t> rest = rest_of(*loader, ++it);
    for (int i = 0; i < later; ++i) targets_of_epoch(*loader);
    load(*loader, archive);
    EXPECT_EQ(targets_of_epoch(*loader), rest);
    load(*loader, archive);
    EXPECT_EQ(targets_of_epoch(*loader), rest);
  }
}

TYPED_TEST(DataLoaderState, CanBeSavedAgainBeforeItGoesOn) {
  auto loader = TypeParam::make(four);
  targets_of_epoch(*loader);
  auto it = first_batch_of(*loader);
  const std::string archive = saved(*loader);
  const std::vector<std::int64_t> rest = rest_of(*loader, ++it);
  auto second = TypeParam::make(four);
  load(*second, archive);
  auto third = TypeParam::make(four);
  load(*third, saved(*second));
  EXPECT_EQ(targets_of_epoch(*third), rest);
  EXPECT_EQ(targets_of_epoch(*second), rest);
}

TYPED_TEST(DataLoaderState, IsTheSameWhereItIsSavedAgainAtOnce) {
  auto loader = TypeParam::make(four);
  auto it = first_batch_of(*loader);
  std::string archive = saved(*loader);
  const std::vector<std::int64_t> rest = rest_of(*loader, ++it);
  for (int times = 0; times < 3; ++times) {
    auto other = TypeParam::make(four);
    load(*other, archive);
    archive = saved(*other);
  }
  auto last = TypeParam::make(four);
  load(*last, archive);
  EXPECT_EQ(targets_of_epoch(*last), rest);
}

TYPED_TEST(DataLoaderState, GoesOnWithAnotherBatchSize) {
  auto loader = TypeParam::make(four);
  auto it = first_batch_of(*loader);
  const std::string archive = saved(*loader);
  const std::vector<std::int64_t> rest = rest_of(*loader, ++it);
  for (const std::size_t batch_size : {1, 3, 9}) {
    auto other = TypeParam::make(DataLoaderOptions(batch_size).seed(6));
    load(*other, archive);
    EXPECT_EQ(targets_of_epoch(*other), rest);
  }
}

TYPED_TEST(DataLoaderState, LeavesOutALastBatchAlsoWhereItGoesOn) {
  auto loader = TypeParam::make(DataLoaderOptions(four).drop_last(true));
  auto it = first_batch_of(*loader);
  const std::string archive = saved(*loader);
  const std::vector<std::int64_t> rest = rest_of(*loader, ++it);
  EXPECT_EQ(rest.size(), 16U);
  auto other = TypeParam::make(DataLoaderOptions(four).drop_last(true));
  load(*other, archive);
  EXPECT_EQ(targets_of_epoch(*other), rest);
}

TYPED_TEST(DataLoaderState, InTheLastBatchIsTheNextEpochAlsoWhereSamplesAreLeftOver) {
  const auto made = [] { return TypeParam::make(DataLoaderOptions(four).drop_last(true)); };
  auto loader = made();
  auto it = first_batch_of(*loader);
  for (int batch = 1; batch < 5; ++batch) ++it;
  const std::string archive = saved(*loader);
  EXPECT_EQ(++it, loader->end());
  const std::vector<std::int64_t> next = next_epoch(*loader);
  EXPECT_EQ(next.size(), 20U);
  auto other = made();
  load(*other, archive);
  EXPECT_EQ(next_epoch(*other), next);
}

TYPED_TEST(DataLoaderState, LiesBesideAModelInOneArchive) {
  auto loader = TypeParam::make(four);
  auto it = first_batch_of(*loader);
  const std::string archive = archive_of([&](::torch::serialize::OutputArchive& out) {
    ::torch::serialize::OutputArchive nested;
    nested << *loader;
    out.write("loader", nested);
    out.write("weight", at::ones({2}));
    out << *loader;  // also without a name of its own
  });
  const std::vector<std::int64_t> rest = rest_of(*loader, ++it);
  for (const bool named : {true, false}) {
    auto other = TypeParam::make(four);
    auto in = archive_from(archive);
    if (named) {
      ::torch::serialize::InputArchive nested;
      in.read("loader", nested);
      nested >> *other;
    } else {
      in >> *other;
    }
    EXPECT_EQ(targets_of_epoch(*other), rest);
    at::Tensor weight;
    in.read("weight", weight);
    EXPECT_TRUE(at::equal(weight, at::ones({2})));
  }
}

/// A rank's loader, where ranks have unequal numbers of samples.
auto make_uneven(std::uint64_t rank, std::uint64_t world_size,
                 const DataLoaderOptions& options = DataLoaderOptions(1)) {
  return torch::make_data_loader(
      stacked_numbers(11),
      stoker::DistributedSampler(
          std::make_shared<stoker::SequentialSampler>(11),
          {.rank = rank, .world_size = world_size, .remainder = Remainder::uneven}),
      options);
}

/// Rank 0 has one sample left there, of 11.
TEST(DataLoaderState, OfARankThatHasNothingLeftGoesOnWithTheNextEpoch) {
  auto loader = make_uneven(1, 2);
  auto it = first_batch_of(*loader);
  for (int i = 1; i < 5; ++i) ++it;
  EXPECT_EQ(numbers_in(it->target), from_to(9, 10));
  const std::string archive = saved(*loader);
  for (const std::uint64_t world_size : {2, 4}) {
    auto other = make_uneven(1, world_size);
    load(*other, archive);
    EXPECT_EQ(targets_of_epoch(*other), (std::vector<std::int64_t>{}));
    EXPECT_EQ(targets_of_epoch(*other), targets_of_epoch(*make_uneven(1, world_size)));
  }
}

/// Of 11 samples: behind each rank's last batch, with drop_last.
TEST(DataLoaderState, BehindTheLastBatchOfAllRanksIsTheNextEpochAlsoWhereSamplesAreLeftOut) {
  const auto dropping = [](std::size_t batch_size) {
    return DataLoaderOptions(batch_size).drop_last(true);
  };
  struct Case {
    std::uint64_t rank, world_size;
    std::size_t batch_size;
    int batches;
    bool another_goes_on;
  };
  for (const Case& c : {Case{0, 1, 3, 3, false}, Case{0, 1, 4, 2, false}, Case{0, 2, 5, 1, false},
                        Case{1, 2, 5, 1, false}, Case{0, 2, 3, 2, false}, Case{1, 2, 3, 1, true},
                        Case{1, 2, 1, 5, true}, Case{2, 3, 3, 1, false}}) {
    SCOPED_TRACE(c.rank + 10 * c.world_size + 100 * c.batch_size);
    const auto made = [&] { return make_uneven(c.rank, c.world_size, dropping(c.batch_size)); };
    auto loader = made();
    auto it = first_batch_of(*loader);
    for (int i = 1; i < c.batches; ++i) ++it;
    auto other = made();
    load(*other, saved(*loader));
    EXPECT_EQ(++it, loader->end());
    const auto next = targets_of_epoch(*loader);
    if (c.another_goes_on) {
      EXPECT_EQ(targets_of_epoch(*other), (std::vector<std::int64_t>{}));
    }
    EXPECT_EQ(targets_of_epoch(*other), next);
  }
}

/// An epoch of no batches counts as one, as it does where none was resumed.
TEST(DataLoaderState, GoesOnWithAnEpochThatHasNoBatches) {
  const auto made = [] { return make_uneven(0, 1, DataLoaderOptions(20).drop_last(true)); };
  auto loader = made();
  targets_of_epoch(*loader);
  auto other = made();
  load(*other, saved(*loader));
  targets_of_epoch(*loader);
  EXPECT_EQ(targets_of_epoch(*other), (std::vector<std::int64_t>{}));
  EXPECT_EQ(saved(*other), saved(*loader));
}

template <class Sampler>
void expect_failed_batch_counts(const Sampler& sampler) {
  const auto make = [&] {
    return torch::make_data_loader(stacked_pairs(samples,
                                                 [](std::size_t index) {
                                                   if (index == 5) throw std::runtime_error("five");
                                                   return Numbers::sample(index);
                                                 }),
                                   sampler, four);
  };
  auto loader = make();
  auto it = first_batch_of(*loader);
  EXPECT_THROW(++it, Error);
  auto other = make();
  load(*other, saved(*loader));
  EXPECT_EQ(targets_of_epoch(*other), from_to(8, 23));
}

TEST(DataLoaderState, CountsABatchThatFailedAsDelivered) {
  expect_failed_batch_counts(SequentialSampler(samples));
  expect_failed_batch_counts(stoker::SequentialSampler(samples));
}

template <class Sampler>
void expect_held_static_batch_is_still_due(const Sampler& sampler) {
  const auto options = DataLoaderOptions(four).static_batch(true);
  auto loader = torch::make_data_loader(stacked_numbers(samples), sampler, options);
  auto it = first_batch_of(*loader);
  at::Tensor held = it->data;
  message_of_error(ErrorCode::invalid_state, [&] { ++it; });
  const std::string archive = saved(*loader);
  held.reset();
  ++it;
  EXPECT_EQ(numbers_in(it->target), from_to(4, 8));
  auto other = torch::make_data_loader(stacked_numbers(samples), sampler, four);
  load(*other, archive);
  EXPECT_EQ(targets_of_epoch(*other), from_to(4, 23));
}

TEST(DataLoaderState, DoesNotCountABatchThatIsStillDue) {
  expect_held_static_batch_is_still_due(SequentialSampler(samples));
  expect_held_static_batch_is_still_due(stoker::SequentialSampler(samples));
}

TYPED_TEST(DataLoaderState, IsNotToBeHadWhereBatchesComeAsTheyAreReady) {
  auto loader = TypeParam::make(DataLoaderOptions(four).workers(2).enforce_ordering(false));
  loader->begin();
  EXPECT_NE(message_of_error(ErrorCode::invalid_state, [&] { saved(*loader); }).find("state needs"),
            std::string::npos);
}

TEST(DataLoaderState, IsNotToBeHadOfDatasetsThatMakeWholeBatches) {
  auto whole = torch::make_data_loader(Numbers(samples), four);
  for (const auto& call : {std::function([&] { saved(*whole); }),
                           std::function([&] { load(*whole, saved(at::ones({1}))); })}) {
    EXPECT_NE(message_of_error(ErrorCode::unsupported, call).find("Stack samples"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace stoker::torch::testing
