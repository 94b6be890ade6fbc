#include <stoker/engine/loader.hpp>

#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include <stoker/device/simulated.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

namespace stoker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::invalid_argument;
}

std::vector<ExpectedBatch> collect(Epoch epoch) {
  std::vector<ExpectedBatch> batches;
  for (Batch& batch : epoch) {
    EXPECT_EQ(batch.number(), batches.size());
    batches.push_back(content(batch));
  }
  return batches;
}

struct Config {
  std::uint64_t size;
  std::size_t batch_size;
  int num_workers;
  int num_readers;
  std::size_t prefetch;
  bool shuffle;
  bool drop_last;
  bool in_memory;
};

void PrintTo(const Config& c, std::ostream* out) {
  *out << c.size << " samples, batch " << c.batch_size << ", workers " << c.num_workers
       << ", readers " << c.num_readers << ", prefetch " << c.prefetch << ", shuffle " << c.shuffle
       << ", drop_last " << c.drop_last << ", in_memory " << c.in_memory;
}

LoaderOptions options_of(const Config& config) {
  LoaderOptions options;
  options.batch_size = config.batch_size;
  options.num_workers = config.num_workers;
  options.num_readers = config.num_readers;
  options.prefetch = config.prefetch;
  options.shuffle = config.shuffle;
  options.drop_last = config.drop_last;
  options.seed = 42;
  return options;
}

class LoaderOracle : public ::testing::TestWithParam<Config> {};

TEST_P(LoaderOracle, DeliversTheOraclesBatchesEpochAfterEpoch) {
  const Config& config = GetParam();
  const LoaderOptions options = options_of(config);
  Loader loader(std::make_shared<FakeProducer>(config.size, config.in_memory), options);
  for (const std::uint64_t epoch : {0, 1, 2, 7, 3, 3}) {
    const auto expected = oracle(config.size, options, epoch);
    ASSERT_EQ(loader.size(), expected.size());
    ASSERT_EQ(collect(loader.epoch(epoch)), expected) << "epoch " << epoch;
  }
}

std::vector<Config> configs() {
  std::vector<Config> all;
  for (const int workers : {0, 1, 2, 5}) {
    for (const std::size_t prefetch : {1, 2, 7}) {
      for (const bool in_memory : {false, true}) {
        all.push_back({101, 8, workers, 3, prefetch, true, false, in_memory});
        all.push_back({64, 8, workers, 1, prefetch, false, true, in_memory});
        all.push_back({3, 8, workers, LoaderOptions::automatic, prefetch, true, false, in_memory});
        all.push_back({3, 8, workers, 2, prefetch, true, true, in_memory});
        all.push_back({17, 1, workers, 2, prefetch, true, false, in_memory});
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ladder, LoaderOracle, ::testing::ValuesIn(configs()));

TEST(Loader, SurvivesRandomUseAndStillDeliversTheOraclesBatches) {
  const auto seed = static_cast<std::uint32_t>(::testing::UnitTest::GetInstance()->random_seed());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  LoaderOptions options;
  options.batch_size = 4;
  options.num_workers = 3;
  options.prefetch = 3;
  options.shuffle = true;
  Loader loader(std::make_shared<FakeProducer>(50), options);
  std::vector<Batch> held;
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t epoch = random() % 4;
    const auto expected = oracle(50, options, epoch);
    Epoch walk = loader.epoch(epoch, random() % 5 == 0);
    const std::size_t steps = random() % (expected.size() + 2);
    for (std::size_t i = 0; i < steps; ++i) {
      std::optional<Batch> batch = walk.next();
      ASSERT_EQ(batch.has_value(), i < expected.size());
      if (!batch) break;
      ASSERT_EQ(content(*batch), expected[i]);
      if (random() % 3 == 0) held.push_back(std::move(*batch));
      while (held.size() > random() % 4)
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(random() % held.size()));
    }
  }
}

TEST(Loader, KeepsABatchThatIsMovedOut) {
  LoaderOptions options;
  options.batch_size = 5;
  options.num_workers = 2;
  const auto expected = oracle(20, options, 0);
  std::optional<Loader> loader(std::in_place, std::make_shared<FakeProducer>(20), options);
  std::vector<Batch> kept;
  for (Batch& batch : loader->epoch(0)) kept.push_back(std::move(batch));
  loader.reset();
  ASSERT_EQ(kept.size(), 4U);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(content(kept[i]), expected[i]);
  EXPECT_EQ(kept[1].name(2), "fake/7");
}

TEST(Loader, ReleasesBatchesOnAnyThread) {
  LoaderOptions options;
  options.batch_size = 2;
  options.num_workers = 2;
  options.prefetch = 2;
  Loader loader(std::make_shared<FakeProducer>(200), options);
  std::size_t batches = 0;
  for (Batch& batch : loader.epoch(0)) {
    ++batches;
    std::thread([lent = std::move(batch)]() mutable { lent.release(); }).join();
  }
  EXPECT_EQ(batches, 100U);
}

TEST(Loader, AnEarlierEpochIsOverOnceAnotherStarts) {
  LoaderOptions options;
  options.num_workers = 1;
  Loader loader(std::make_shared<FakeProducer>(4), options);
  Epoch first = loader.epoch(0);
  Epoch second = loader.epoch(1);
  EXPECT_EQ(code_of([&] { (void)first.next(); }), ErrorCode::invalid_state);
  EXPECT_EQ(collect(std::move(second)).size(), 4U);
}

TEST(Loader, GoesOnToTheNextEpochWithoutCancelling) {
  LoaderOptions options;
  options.batch_size = 4;
  options.num_workers = 2;
  Loader loader(std::make_shared<FakeProducer>(32), options);
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) collect(loader.epoch(epoch));
  EXPECT_EQ(loader.stats().epochs_cancelled, 0U);
  collect(loader.epoch(9));
  EXPECT_EQ(loader.stats().epochs_cancelled, 1U);
}

TEST(Loader, PrefetchesTheNextEpochWhileOneDrains) {
  LoaderOptions options;
  options.batch_size = 1;
  options.num_workers = 1;
  options.prefetch = 4;
  auto producer = std::make_shared<FakeProducer>(4);
  std::atomic<int> produced{0};
  Gate all_guessed;
  producer->on_produce = [&](std::uint64_t) {
    if (++produced == 8) all_guessed.open();
    return Status{};
  };
  Loader loader(producer, options);
  collect(loader.epoch(0));
  all_guessed.pass();  // epoch 1 is complete though nobody asked for it
  EXPECT_GE(produced.load(), 8);
}

TEST(Loader, PrefetchesNothingBehindTheLastEpoch) {
  LoaderOptions options;
  options.batch_size = 2;
  options.num_workers = 2;
  options.prefetch = 8;
  options.num_epochs = 2;
  auto producer = std::make_shared<FakeProducer>(10);
  std::atomic<int> produced{0};
  producer->on_produce = [&](std::uint64_t) {
    ++produced;
    return Status{};
  };
  {
    Loader loader(producer, options);
    collect(loader.epoch(0));
    collect(loader.epoch(1));
  }
  EXPECT_EQ(produced.load(), 20);
  produced = 0;
  options.num_epochs = 0;
  {
    Loader loader(producer, options);
    collect(loader.epoch(5, true));
  }
  EXPECT_EQ(produced.load(), 10);
}

TEST(Loader, DeliversAsCompletedWhereAsked) {
  LoaderOptions options;
  options.batch_size = 1;
  options.num_workers = 2;
  options.prefetch = 4;
  options.delivery = Delivery::as_completed;
  auto producer = std::make_shared<FakeProducer>(6);
  Gate gate;
  producer->on_produce = [&](std::uint64_t index) {
    if (index == 0) gate.pass();
    return Status{};
  };
  Loader loader(producer, options);
  Epoch epoch =
      loader.epoch(0, true);  // else the next epoch's sample 0 would stand at the gate too
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 5; ++i) seen.insert(epoch.next()->number());
  EXPECT_EQ(seen, (std::set<std::uint64_t>{1, 2, 3, 4, 5}));
  gate.open();
  EXPECT_EQ(epoch.next()->number(), 0U);
  EXPECT_FALSE(epoch.next());
}

TEST(Loader, AsCompletedNeverMixesEpochs) {
  LoaderOptions options;
  options.batch_size = 3;
  options.num_workers = 4;
  options.prefetch = 6;
  options.delivery = Delivery::as_completed;
  Loader loader(std::make_shared<FakeProducer>(20), options);
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    std::multiset<std::uint64_t> seen;
    for (Batch& batch : loader.epoch(epoch)) {
      EXPECT_EQ(batch.epoch(), epoch);
      seen.insert(batch.indices().begin(), batch.indices().end());
    }
    ASSERT_EQ(seen.size(), 20U);
    ASSERT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), 20U);
  }
}

TEST(Loader, SaysHowManyBatchesAreHeld) {
  LoaderOptions options;
  options.num_workers = 1;
  options.prefetch = 2;
  options.timeout = std::chrono::milliseconds(20);
  for (const int workers : {0, 1}) {
    options.num_workers = workers;
    Loader loader(std::make_shared<FakeProducer>(10), options);
    Epoch epoch = loader.epoch(0);
    std::vector<Batch> held;
    for (int i = 0; i < 3; ++i) held.push_back(next_patiently(epoch));
    try {
      (void)epoch.next();
      FAIL() << "a fourth slot appeared";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::all_slots_held);
      EXPECT_THAT(error.what(), HasSubstr("all 3 batches"));
    }
    held.erase(held.begin() + 1);
    EXPECT_EQ(next_patiently(epoch).number(), 3U);
  }
}

TEST(Loader, GrowsWhereAskedAndShrinksOnRelease) {
  LoaderOptions options;
  options.prefetch = 1;
  options.on_all_held = OnAllHeld::grow;
  for (const int workers : {0, 2}) {
    options.num_workers = workers;
    Loader loader(std::make_shared<FakeProducer>(10), options);
    const auto expected = oracle(10, options, 0);
    std::vector<Batch> held;
    for (Batch& batch : loader.epoch(0, true)) held.push_back(std::move(batch));
    ASSERT_EQ(held.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(content(held[i]), expected[i]);
    EXPECT_EQ(loader.stats().slots_grown, 8U);
    held.clear();
    EXPECT_EQ(collect(loader.epoch(1)).size(), 10U);
    EXPECT_EQ(loader.stats().slots_grown, 8U);
  }
}

TEST(Loader, SharesAWorkerPool) {
  auto pool = std::make_shared<WorkerPool>(2);
  LoaderOptions options;
  options.batch_size = 4;
  options.workers = pool;
  Loader train(std::make_shared<FakeProducer>(40), options);
  Loader validate(std::make_shared<FakeProducer>(24, true), options);
  EXPECT_EQ(train.options().num_workers, 2);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(collect(train.epoch(epoch)), oracle(40, options, epoch));
    EXPECT_EQ(collect(validate.epoch(epoch)), oracle(24, options, epoch));
  }
}

TEST(Loader, CountsWhatItDid) {
  LoaderOptions options;
  options.batch_size = 4;
  options.num_workers = 2;
  options.num_epochs = 1;
  Loader loader(std::make_shared<FakeProducer>(10), options);
  collect(loader.epoch(0));
  const Stats stats = loader.stats();
  EXPECT_EQ(stats.batches_delivered, 3U);
  EXPECT_EQ(stats.samples_delivered, 10U);
  EXPECT_EQ(stats.bytes_read, 80U);
  EXPECT_EQ(stats.read.items, 10U);
  EXPECT_EQ(stats.produce.items, 10U);
  EXPECT_EQ(stats.wait.count, 3U);
  EXPECT_THAT(stats.table(), HasSubstr("3 batches, 10 samples"));
  EXPECT_THAT(stats.json(), HasSubstr("\"batches_delivered\": 3"));
  loader.reset_stats();
  EXPECT_EQ(loader.stats().batches_delivered, 0U);
}

TEST(Loader, NamesAFieldThatIsNotThere) {
  LoaderOptions options;
  options.num_workers = 0;
  Loader loader(std::make_shared<FakeProducer>(4), options);
  Epoch epoch = loader.epoch(0);
  Batch batch = *epoch.next();
  EXPECT_EQ(batch["sample"].shape, (Shape{1, 2}));
  EXPECT_EQ(batch["bytes"].shape, (Shape{1, 24}));
  try {
    (void)batch["image"];
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sample, bytes"));
  }
  batch.release();
  EXPECT_EQ(code_of([&] { (void)batch["sample"]; }), ErrorCode::invalid_state);
}

TEST(Loader, TakesTheLongestTimeoutForNone) {
  LoaderOptions options;
  options.num_workers = 2;
  options.timeout = std::chrono::milliseconds::max();
  Loader loader(std::make_shared<FakeProducer>(20), options);
  EXPECT_EQ(collect(loader.epoch(0)).size(), 20U);
}

TEST(Loader, RefusesBadOptions) {
  const auto make = [](const std::function<void(LoaderOptions&)>& change, std::uint64_t size = 4) {
    return code_of([&] {
      LoaderOptions options;
      options.num_workers = 1;
      change(options);
      Loader(std::make_shared<FakeProducer>(size), options);
    });
  };
  EXPECT_EQ(make([](auto& o) { o.batch_size = 0; }), ErrorCode::invalid_argument);
  EXPECT_EQ(make([](auto& o) { o.prefetch = 0; }), ErrorCode::invalid_argument);
  EXPECT_EQ(make([](auto& o) { o.num_workers = -2; }), ErrorCode::invalid_argument);
  EXPECT_EQ(make([](auto& o) { o.max_encoded_bytes = 0; }), ErrorCode::invalid_argument);
  EXPECT_EQ(make([](auto& o) { o.timeout = std::chrono::milliseconds(-1); }),
            ErrorCode::invalid_argument);
  EXPECT_EQ(make([](auto& o) {
              o.shuffle = true;
              o.sampler = std::make_shared<SequentialSampler>(4);
            }),
            ErrorCode::invalid_argument);
  EXPECT_EQ(make([](auto&) {}, 0), ErrorCode::empty_source);
  EXPECT_EQ(code_of([] { WorkerPool pool(0); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([] { Loader(std::shared_ptr<const Producer>(), {}); }),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace stoker::testing
