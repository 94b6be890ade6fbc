// stoker's samplers as LibTorch's.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/samplers/weighted_sampler.hpp>
#include <stoker/torch/samplers.hpp>

#include <torch/serialize.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace stoker::torch::testing {
namespace {

constexpr std::uint64_t seed = 4;

std::shared_ptr<const stoker::Sampler> random_order(std::uint64_t size = 23) {
  return std::make_shared<stoker::RandomSampler>(size);
}

std::vector<std::int64_t> order_of(const stoker::Sampler& sampler, std::uint64_t epoch) {
  std::vector<std::uint64_t> indices(sampler.size());
  sampler.order(seed, epoch)->read(0, indices);
  return {indices.begin(), indices.end()};
}

/// What is left of a sampler's epoch.
std::vector<std::int64_t> rest_of(TorchSampler& sampler, std::size_t batch_size) {
  std::vector<std::int64_t> all;
  while (const auto batch = sampler.next(batch_size)) {
    EXPECT_LE(batch->size(), batch_size);
    all.insert(all.end(), batch->begin(), batch->end());
  }
  return all;
}

/// A copy that has been through an archive.
void restore(TorchSampler& sampler, const TorchSampler& from) {
  ::torch::serialize::OutputArchive out;
  from.save(out);
  std::stringstream bytes;
  out.save_to(bytes);
  ::torch::serialize::InputArchive in;
  in.load_from(bytes);
  sampler.load(in);
}

TEST(TorchSampler, VisitsEpochsInItsOrderInTorchsLoader) {
  const std::vector<std::shared_ptr<const stoker::Sampler>> all{
      random_order(), std::make_shared<stoker::SequentialSampler>(23),
      std::make_shared<stoker::DistributedSampler>(23, RankSplit{1, 2}),
      std::make_shared<stoker::WeightedSampler>(std::vector<double>(23, 1.0), 40)};
  for (const auto& sampler : all) {
    for (const std::size_t workers : {0, 2}) {
      auto loader = data::make_data_loader(stacked_numbers(23), TorchSampler(sampler, seed),
                                           data::DataLoaderOptions(4).workers(workers));
      for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
        EXPECT_EQ(targets_of_epoch(*loader), order_of(*sampler, epoch)) << sampler->text();
      }
    }
  }
}

TEST(TorchSampler, NeedsNoResetForItsFirstEpoch) {
  TorchSampler sampler(random_order(), seed);
  EXPECT_EQ(rest_of(sampler, 5), order_of(*random_order(), 0));
  EXPECT_FALSE(sampler.next(5));
  sampler.reset({});
  EXPECT_EQ(rest_of(sampler, 30), order_of(*random_order(), 1));
}

TEST(TorchSampler, GoesOnInTheMiddleOfAnEpoch) {
  TorchSampler sampler(random_order(), seed);
  sampler.reset({});
  rest_of(sampler, 4);
  sampler.reset({});
  sampler.next(6);
  TorchSampler other(random_order(), seed);
  restore(other, sampler);
  EXPECT_EQ(rest_of(other, 3), rest_of(sampler, 7));
  other.reset({});
  EXPECT_EQ(rest_of(other, 3), order_of(*random_order(), 2));
}

TEST(TorchSampler, BeginsAtTheBeginningWhereOneWasSavedBeforeItBegan) {
  TorchSampler other(random_order(), seed);
  restore(other, TorchSampler(random_order(), seed));
  other.reset({});
  EXPECT_EQ(rest_of(other, 4), order_of(*random_order(), 0));
}

TEST(TorchSampler, CopiesGoOnForThemselves) {
  TorchSampler sampler(random_order(), seed);
  sampler.next(5);
  TorchSampler copy = sampler;
  EXPECT_EQ(rest_of(sampler, 5), rest_of(copy, 5));
}

TEST(TorchSampler, RefusesWhatCannotBe) {
  EXPECT_EQ(message_of_error(ErrorCode::invalid_argument, [] { TorchSampler(nullptr, 0); }),
            "there is no sampler to go by");
  TorchSampler sampler(random_order(), seed);
  EXPECT_NE(
      message_of_error(ErrorCode::unsupported, [&] { sampler.reset(5); }).find("has its own size"),
      std::string::npos);
  EXPECT_NO_THROW(sampler.reset(23));
}

TEST(TorchSampler, RefusesAnotherSamplersState) {
  TorchSampler sampler(random_order(), seed);
  EXPECT_NE(message_of_error(ErrorCode::bad_state,
                             [&] { restore(sampler, TorchSampler(random_order(22), seed)); })
                .find("this one is random(size=23)"),
            std::string::npos);
}

/// Loads an archive with these entries.
void load_entries(const std::vector<std::pair<std::string, c10::IValue>>& entries) {
  ::torch::serialize::OutputArchive out;
  for (const auto& [key, value] : entries) out.write(key, value);
  std::stringstream bytes;
  out.save_to(bytes);
  ::torch::serialize::InputArchive in;
  in.load_from(bytes);
  TorchSampler sampler(random_order(), seed);
  sampler.load(in);
}

TEST(TorchSampler, RefusesDamagedStates) {
  const auto entries = [](const c10::IValue& text, const c10::IValue& epoch,
                          const c10::IValue& place, const c10::IValue& begun) {
    return std::vector<std::pair<std::string, c10::IValue>>{{"stoker_sampler", text},
                                                            {"stoker_epoch", epoch},
                                                            {"stoker_place", place},
                                                            {"stoker_begun", begun}};
  };
  const std::string text = random_order()->text();
  EXPECT_NO_THROW(load_entries(entries(text, 2, 5, true)));
  EXPECT_NO_THROW(load_entries(entries(text, 2, 23, true)));
  const std::vector<std::vector<std::pair<std::string, c10::IValue>>> damaged{
      {},
      {{"stoker_sampler", text}},
      entries(3, 0, 0, true),
      entries(at::zeros({1}), 0, 0, true),
      entries(text, -1, 0, true),
      entries(text, 0, -1, true),
      entries(text, "a", 0, true),
      entries(text, 0, 1.5, true),
      entries(text, 0, 24, true),
      entries(text, 0, 0, 1)};
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    SCOPED_TRACE(i);
    message_of_error(ErrorCode::bad_state, [&] { load_entries(damaged[i]); });
  }
}

}  // namespace
}  // namespace stoker::torch::testing
