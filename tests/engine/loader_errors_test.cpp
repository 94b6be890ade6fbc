#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include "tests/error_of.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/engine/worker_pool.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>

namespace stoker::testing {
namespace {

using ::testing::HasSubstr;

/// Where a sample goes wrong.
enum class Where { read, produce };

struct Case {
  Where where;
  int num_workers;
  bool in_memory;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << (c.where == Where::read ? "read" : "produce") << ", workers " << c.num_workers
       << ", in_memory " << c.in_memory;
}

class LoaderErrors : public ::testing::TestWithParam<Case> {
 protected:
  LoaderErrors() {
    options_.batch_size = 4;
    options_.num_workers = GetParam().num_workers;
    options_.num_readers = 2;
  }

  std::shared_ptr<FakeProducer> producer(std::function<Status(std::uint64_t)> hook) const {
    auto producer = std::make_shared<FakeProducer>(40, GetParam().in_memory);
    (GetParam().where == Where::read ? producer->on_read : producer->on_produce) = std::move(hook);
    return producer;
  }

  LoaderOptions options_;
};

TEST_P(LoaderErrors, FailThrowsAtTheBatchesPlaceAndGoesOnBehindIt) {
  Loader loader(producer([](std::uint64_t index) -> Status {
                  if (index == 10 || index == 11) {
                    return fail(ErrorCode::truncated, "ends at byte " + std::to_string(index));
                  }
                  return {};
                }),
                options_);
  const auto expected = oracle(40, options_, 0);
  Epoch epoch = loader.epoch(0);
  for (std::size_t number = 0; number < expected.size(); ++number) {
    if (number != 2) {
      ASSERT_EQ(content(*epoch.next()), expected[number]);
      continue;
    }
    try {
      (void)epoch.next();
      FAIL() << "batch 2 came through";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::truncated);
      EXPECT_EQ(error.message(), "ends at byte 10");
      EXPECT_EQ(error.context().sample_index, 10U);
      EXPECT_EQ(error.context().sample_name, "fake/10");
      EXPECT_EQ(error.context().batch, 2U);
      EXPECT_EQ(error.context().epoch, 0U);
      EXPECT_THAT(error.what(), HasSubstr("sample 10 \"fake/10\", batch 2, epoch 0"));
    }
  }
  EXPECT_FALSE(epoch.next());
}

TEST_P(LoaderErrors, SkipPutsTheSameOtherSampleInThePlaceForAnyNumberOfThreads) {
  options_.on_error = OnError::skip;
  options_.shuffle = true;
  const auto run = [&](int workers, std::size_t prefetch) {
    LoaderOptions options = options_;
    options.num_workers = workers;
    options.prefetch = prefetch;
    Loader loader(producer([](std::uint64_t index) -> Status {
                    if (index % 3 == 0) return fail(ErrorCode::corrupt, "bad");
                    return {};
                  }),
                  options);
    std::vector<ExpectedBatch> batches;
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      for (Batch& batch : loader.epoch(epoch)) batches.push_back(content(batch));
    }
    EXPECT_GE(loader.stats().samples_skipped, 28U);
    EXPECT_GE(loader.stats().samples_failed, loader.stats().samples_skipped);
    return batches;
  };
  const auto reference = run(0, 1);
  ASSERT_EQ(reference.size(), 20U);
  for (const ExpectedBatch& batch : reference) {
    for (const std::uint64_t index : batch.indices) EXPECT_NE(index % 3, 0U);
  }
  EXPECT_EQ(run(GetParam().num_workers, 4), reference);
  EXPECT_EQ(run(4, 2), reference);
}

TEST_P(LoaderErrors, SkipGivesUpWhereEverySampleFails) {
  options_.on_error = OnError::skip;
  Loader loader(
      producer([](std::uint64_t) -> Status { return fail(ErrorCode::empty_file, "nothing"); }),
      options_);
  Epoch epoch = loader.epoch(0);
  for (int i = 0; i < 10; ++i) EXPECT_THROW((void)epoch.next(), Error);
  EXPECT_FALSE(epoch.next());
}

TEST_P(LoaderErrors, WhatUserCodeThrowsIsTheSamplesFailure) {
  Loader loader(producer([](std::uint64_t index) -> Status {
                  if (index == 0) throw std::runtime_error("my own message");
                  if (index == 4) throw 42;  // NOLINT: users can
                  if (index == 8) throw Error(ErrorCode::io_error, "disk");
                  return {};
                }),
                options_);
  Epoch epoch = loader.epoch(0);
  const auto message = [&](ErrorCode code) -> std::string {
    try {
      (void)epoch.next();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(message(ErrorCode::user_code), HasSubstr("my own message"));
  EXPECT_THAT(message(ErrorCode::user_code), HasSubstr("no std::exception"));
  EXPECT_THAT(message(ErrorCode::io_error), HasSubstr("disk"));
  EXPECT_EQ(epoch.next()->number(), 3U);
}

TEST_P(LoaderErrors, ErrorsOfAGuessedEpochStaySilentUntilItIsAskedFor) {
  std::atomic<bool> broken{false};
  Loader loader(producer([&](std::uint64_t) -> Status {
                  if (broken) return fail(ErrorCode::io_error, "gone");
                  return {};
                }),
                options_);
  std::size_t batches = 0;
  for (Batch& batch : loader.epoch(0)) {
    batches += batch ? 1 : 0;
    if (batches == 10) broken = true;
  }
  EXPECT_EQ(batches, 10U);
  Epoch next = loader.epoch(1);
  std::size_t failed = 0, delivered = 0;
  for (;;) {
    try {
      if (!next.next()) break;
      ++delivered;
    } catch (const Error&) {
      ++failed;
    }
  }
  EXPECT_EQ(failed + delivered, 10U);
  EXPECT_GE(failed, 1U);
}

INSTANTIATE_TEST_SUITE_P(Ways, LoaderErrors,
                         ::testing::Values(Case{Where::read, 2, false}, Case{Where::read, 2, true},
                                           Case{Where::read, 0, false},
                                           Case{Where::produce, 2, false},
                                           Case{Where::produce, 3, true},
                                           Case{Where::produce, 0, false}));

TEST(LoaderTimeout, NamesTheStageAndTheSample) {
  for (const Where where : {Where::read, Where::produce}) {
    auto producer = std::make_shared<FakeProducer>(4);
    Gate gate;
    (where == Where::read ? producer->on_read : producer->on_produce) = [&](std::uint64_t index) {
      if (index == 1) gate.pass();
      return Status{};
    };
    LoaderOptions options;
    options.batch_size = 4;
    options.num_workers = 1;
    options.timeout = std::chrono::milliseconds(50);
    Loader loader(producer, options);
    Epoch epoch = loader.epoch(7);
    gate.wait_for_arrivals(1);
    try {
      (void)epoch.next();
      ADD_FAILURE() << "a batch without one of its samples";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::timeout);
      EXPECT_EQ(error.context().epoch, 7U);
      EXPECT_EQ(error.context().batch, 0U);
      EXPECT_THAT(error.what(),
                  HasSubstr(where == Where::read ? "sample 1 \"fake/1\" is being read"
                                                 : "sample 1 \"fake/1\" is being produced"));
    }
    gate.open();
    EXPECT_EQ(next_patiently(epoch).number(), 0U);  // the batch is late, not lost
  }
}

class ThrowingSampler final : public Sampler {
 public:
  std::uint64_t size() const override { return 8; }
  std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const override {
    if (epoch == 1) throw std::runtime_error("no order today");
    if (epoch == 3) throw 3;  // NOLINT: users can
    if (epoch == 4) return nullptr;
    return SequentialSampler(8).order(seed, epoch);
  }
  std::string text() const override { return "throwing"; }
};

TEST(LoaderErrorsOfSamplers, AreThrownWhenTheEpochIsAskedFor) {
  for (const int workers : {0, 2}) {
    LoaderOptions options;
    options.batch_size = 4;
    options.num_workers = workers;
    options.sampler = std::make_shared<ThrowingSampler>();
    Loader loader(std::make_shared<FakeProducer>(8), options);
    std::size_t batches = 0;
    for (Batch& batch : loader.epoch(0)) batches += batch.size() / 4;
    EXPECT_EQ(batches, 2U);
    Epoch bad = loader.epoch(1);
    for (int i = 0; i < 2; ++i) {
      try {
        (void)bad.next();
        ADD_FAILURE() << "a batch without an order";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::user_code);
        EXPECT_THAT(error.what(), HasSubstr("no order today"));
      }
    }
    EXPECT_EQ(loader.epoch(2).next()->size(), 4U);
    for (const std::uint64_t epoch : {3, 4}) EXPECT_THROW((void)loader.epoch(epoch).next(), Error);
  }
}

/// A batch without samples between two of one.
class GapBatches final : public BatchSampler {
 public:
  class Batches final : public BatchOrder {
   public:
    std::uint64_t size() const override { return 3; }
    std::uint64_t first(std::uint64_t batch) const override {
      return batch < 2 ? batch : batch - 1;
    }
    void read(std::uint64_t batch, std::span<std::uint64_t> out) const override {
      std::ranges::fill(out, batch);
    }
  };
  std::uint64_t size() const override { return 3; }
  std::size_t max_batch_size() const override { return 4; }
  std::shared_ptr<const BatchOrder> order(std::uint64_t, std::uint64_t) const override {
    return std::make_shared<Batches>();
  }
  std::string text() const override { return "gap"; }
};

TEST(LoaderErrorsOfSamplers, ABatchWithoutSamplesIsThrownAtItsPlace) {
  for (const int workers : {0, 2}) {
    for (const bool fixed : {false, true}) {
      LoaderOptions options;
      options.num_workers = workers;
      options.static_batch = fixed;
      options.batch_sampler = std::make_shared<GapBatches>();
      Loader loader(std::make_shared<FakeProducer>(8), options);
      Epoch walk = loader.epoch(0);
      EXPECT_EQ(walk.next()->indices()[0], 0U);
      EXPECT_THAT(error_of([&] { (void)walk.next(); }, ErrorCode::invalid_argument),
                  HasSubstr("gap: a batch of 0 samples, it must have from 1 to 4"));
      EXPECT_EQ(walk.next()->indices()[0], 2U);
      EXPECT_FALSE(walk.next());
    }
  }
}

/// Neither making a loader nor its timeout waits for what other loaders' samples wait for.
TEST(LoaderErrors, TimesOutOnAPoolWhoseWorkersAreStuck) {
  const auto pool = std::make_shared<WorkerPool>(1, WorkerPoolOptions{.own_threads = true});
  Gate gate;
  auto stuck = std::make_shared<FakeProducer>(4, true);
  stuck->on_produce = [&](std::uint64_t) {
    gate.pass();
    return Status{};
  };
  Loader holder(stuck, {.batch_size = 1, .workers = pool});
  (void)holder.epoch(0, true);
  gate.wait_for_arrivals(1);
  Loader loader(std::make_shared<FakeProducer>(4, true),
                {.batch_size = 4, .timeout = std::chrono::milliseconds(20), .workers = pool});
  Epoch epoch = loader.epoch(0, true);
  try {
    (void)epoch.next();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::timeout) << error.what();
  }
  gate.open();
  EXPECT_EQ(next_patiently(epoch).size(), 4U);
}

}  // namespace
}  // namespace stoker::testing
