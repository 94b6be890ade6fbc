// A `get` that throws: its message, its index, and what comes behind it.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/archives.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace stoker::torch::testing {
namespace {

using data::samplers::SequentialSampler;

constexpr std::size_t samples = 12;

/// Numbers, of which one throws in place of being read.
auto failing_at(std::size_t bad, const std::function<void()>& fault) {
  return stacked_pairs(samples, [=](std::size_t index) {
    if (index == bad) fault();
    return Numbers::sample(index);
  });
}

void throw_message() { throw std::invalid_argument("the file is not there"); }

/// Walks an epoch whose batch 1 fails, then another.
template <class Sampler>
Error failure_in_the_middle(const Sampler& sampler, std::size_t workers,
                            const std::function<void()>& fault) {
  auto loader =
      torch::make_data_loader(failing_at(5, fault), sampler, DataLoaderOptions(4).workers(workers));
  std::optional<Error> failure;
  for (int epoch = 0; epoch < 2; ++epoch) {
    auto it = loader->begin();
    EXPECT_EQ(numbers_in(it->target), from_to(0, 4));
    try {
      ++it;
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      failure = error;
    }
    ++it;  // goes on behind the batch that failed
    EXPECT_EQ(numbers_in(it->target), from_to(8, 12));
    EXPECT_EQ(++it, loader->end());
  }
  return *failure;
}

TEST(FailingSamples, KeepTheirMessageAndIndex) {
  for (const std::size_t workers : {0, 1, 3}) {
    for (const Error& error :
         {failure_in_the_middle(SequentialSampler(samples), workers, throw_message),
          failure_in_the_middle(stoker::SequentialSampler(samples), workers, throw_message)}) {
      EXPECT_EQ(error.code(), ErrorCode::user_code);
      EXPECT_EQ(error.message(), "the file is not there");
      EXPECT_EQ(error.context().sample_index, 5U);
      EXPECT_EQ(error.context().sample_name, "get(5)");
      EXPECT_EQ(error.context().batch, 1U);
      EXPECT_EQ(error.context().epoch, 1U);
      EXPECT_NE(std::string(error.what()).find("the file is not there"), std::string::npos);
    }
  }
}

TEST(FailingSamples, MayThrowAnything) {
  for (const std::size_t workers : {0, 2}) {
    const Error error =
        failure_in_the_middle(SequentialSampler(samples), workers, [] { throw 42; });
    EXPECT_EQ(error.code(), ErrorCode::user_code);
    EXPECT_EQ(error.context().sample_index, 5U);
  }
}

TEST(FailingSamples, MayThrowTorchsErrors) {
  const Error error = failure_in_the_middle(SequentialSampler(samples), 2, [] {
    static_cast<void>(at::zeros({2, 3}).mm(at::zeros({2, 3})));
  });
  EXPECT_NE(error.message().find("mat1 and mat2 shapes cannot be multiplied"), std::string::npos);
}

TEST(FailingSamples, MayThrowErrorsOfStokers) {
  const Error error = failure_in_the_middle(SequentialSampler(samples), 2, [] {
    throw Error(ErrorCode::timeout, "the server did not answer");
  });
  EXPECT_EQ(error.code(), ErrorCode::timeout);
  EXPECT_EQ(error.message(), "the server did not answer");
}

/// The very first sample is read to learn what samples are like.
template <class Sampler>
void expect_first_failure(const Sampler& sampler, const std::function<void()>& fault,
                          const std::string& message) {
  for (const std::size_t workers : {0, 2}) {
    std::atomic<int> calls{0};
    auto loader = torch::make_data_loader(failing_at(0,
                                                     [&] {
                                                       ++calls;
                                                       fault();
                                                     }),
                                          sampler, DataLoaderOptions(4).workers(workers));
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto it = loader->begin();
      try {
        *it;
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::user_code);
        EXPECT_EQ(error.context().sample_index, 0U);
        EXPECT_EQ(error.context().sample_name, "get(0)");
        EXPECT_NE(error.message().find(message), std::string::npos) << error.message();
      }
      if (epoch == 0 && workers == 0) {
        EXPECT_EQ(calls, 1) << "it was read to learn what samples are like";
      }
      EXPECT_EQ(numbers_in(it->target), from_to(4, 8));
      ++it;
      EXPECT_EQ(numbers_in(it->target), from_to(8, samples));
      EXPECT_EQ(++it, loader->end());
    }
  }
}

TEST(FailingSamples, MayBeTheFirstOne) {
  expect_first_failure(SequentialSampler(samples), throw_message, "the file is not there");
  expect_first_failure(stoker::SequentialSampler(samples), throw_message, "the file is not there");
  expect_first_failure(
      SequentialSampler(samples), [] { throw 42; }, "no std::exception");
  expect_first_failure(
      stoker::SequentialSampler(samples), [] { throw 42; }, "no std::exception");
}

/// What is left of an epoch gives no sample to learn from.
TEST(FailingSamples, MayBeAllThatIsLeftOfAnEpoch) {
  const auto made = [](const auto& sampler) {
    return torch::make_data_loader(failing_at(samples - 1, throw_message), sampler,
                                   DataLoaderOptions(1).workers(1));
  };
  const auto goes_on = [&](const auto& sampler) {
    auto stopped = made(sampler);
    auto it = stopped->begin();
    for (std::size_t i = 0; i + 2 < samples; ++i) ++it;
    const std::string archive = saved(*stopped);
    auto resumed = made(sampler);
    load(*resumed, archive);
    auto rest = resumed->begin();
    EXPECT_EQ(message_of_error(ErrorCode::user_code, [&] { *rest; }), "the file is not there");
    EXPECT_EQ(rest, resumed->end());
    EXPECT_EQ(numbers_in(resumed->begin()->target), from_to(0, 1));
  };
  goes_on(SequentialSampler(samples));
  goes_on(stoker::SequentialSampler(samples));
}

/// Of 100 samples the first ones cannot be read.
TEST(FailingSamples, MayBeManyOfTheFirst) {
  const auto bad_firsts = [](std::size_t count) {
    return stacked_pairs(100, [count](std::size_t index) {
      if (index < count) throw_message();
      return Numbers::sample(index);
    });
  };
  const auto batches = [&](const auto& sampler, std::size_t count) {
    auto loader = torch::make_data_loader(bad_firsts(count), sampler, DataLoaderOptions(4));
    std::size_t good = 0, bad = 0;
    for (auto it = loader->begin();;) {
      try {
        if (it == loader->end()) break;
        good += it->target.size(0) == 4 ? 1 : 0;
        ++it;
      } catch (const Error& error) {
        EXPECT_EQ(error.message(), "the file is not there");
        ++bad;
      }
    }
    return std::pair(good, bad);
  };
  for (const std::size_t count : {9, 50}) {
    const auto expected =
        std::pair<std::size_t, std::size_t>(25 - (count + 3) / 4, (count + 3) / 4);
    EXPECT_EQ(batches(SequentialSampler(100), count), expected);
    EXPECT_EQ(batches(stoker::SequentialSampler(100), count), expected);
    auto skipping = torch::make_data_loader<SequentialSampler>(
        bad_firsts(count), DataLoaderOptions(4).on_error(OnError::skip));
    EXPECT_EQ(targets_of_epoch(*skipping).size(), 100U);
  }
}

TEST(FailingSamples, CanBeSkipped) {
  for (const std::size_t workers : {0, 2}) {
    for (const std::size_t bad : {0, 5}) {
      const auto options = DataLoaderOptions(4).workers(workers).on_error(OnError::skip);
      const auto expect_skipped = [&](auto loader) {
        std::vector<std::int64_t> targets = targets_of_epoch(*loader);
        ASSERT_EQ(targets.size(), samples);
        EXPECT_NE(targets[bad], static_cast<std::int64_t>(bad));
        targets[bad] = static_cast<std::int64_t>(bad);
        EXPECT_EQ(targets, from_to(0, samples));
        EXPECT_GE(loader->stats().samples_skipped, 1U);
      };
      expect_skipped(torch::make_data_loader(failing_at(bad, throw_message),
                                             SequentialSampler(samples), options));
      expect_skipped(torch::make_data_loader(failing_at(bad, throw_message),
                                             stoker::SequentialSampler(samples), options));
    }
  }
}

TEST(FailingSamples, CannotBeSkippedWhereAllFail) {
  auto loader = torch::make_data_loader<SequentialSampler>(
      stacked_pairs(samples, [](std::size_t) -> Example { throw std::runtime_error("none"); }),
      DataLoaderOptions(4).on_error(OnError::skip));
  EXPECT_EQ(message_of_error(ErrorCode::user_code, [&] { loader->begin(); }), "none");
}

/// Batches that are made as a whole fail as a whole.
struct FailingBatches : data::datasets::BatchDataset<FailingBatches, at::Tensor> {
  at::Tensor get_batch(c10::ArrayRef<std::size_t> indices) override {
    if (indices[0] == 4) throw_message();
    return at::full({2}, static_cast<std::int64_t>(indices[0]), at::kLong);
  }
  OptionalSize size() const override { return samples; }
};

TEST(FailingBatches, KeepTheirMessageAndWhatComesBehind) {
  for (const std::size_t workers : {0, 1, 3}) {
    auto loader = torch::make_data_loader<SequentialSampler>(FailingBatches(),
                                                             DataLoaderOptions(4).workers(workers));
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto it = loader->begin();
      EXPECT_EQ(message_of_error(ErrorCode::user_code, [&] { ++it; }), "the file is not there");
      ++it;
      EXPECT_EQ(numbers_in(*it), (std::vector<std::int64_t>{8, 8}));
      EXPECT_EQ(++it, loader->end());
    }
  }
}

}  // namespace
}  // namespace stoker::torch::testing
