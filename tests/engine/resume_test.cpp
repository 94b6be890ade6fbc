#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/random_sampler.hpp>

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace stoker::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;

constexpr std::uint64_t seed = 11;

/// A loader for each rank, all in this process, which advance together.
class Ranks {
 public:
  Ranks(std::uint64_t samples, LoaderOptions options, std::uint64_t world_size,
        std::mt19937& random) {
    options.world_size = world_size;
    for (options.rank = 0; options.rank < world_size; ++options.rank) {
      options.num_workers = static_cast<int>(random() % 3);
      options.prefetch = 1 + random() % 4;
      auto producer = std::make_shared<FakeProducer>(samples, random() % 2 == 0);
      loaders_.push_back(std::make_unique<Loader>(std::move(producer), options));
    }
  }

  void load(const LoaderState& state) {
    for (const auto& loader : loaders_) loader->load_state(LoaderState::parse(state.json()));
  }
  void start(std::uint64_t epoch) {
    walks_.clear();
    for (const auto& loader : loaders_) walks_.push_back(loader->epoch(epoch));
  }
  /// Takes each rank's next batch; false where no rank has one.
  template <class Take>
  bool step(Take take) {
    bool any = false;
    for (Epoch& walk : walks_) {
      const std::optional<Batch> batch = walk.next();
      if (!batch) continue;
      any = true;
      take(*batch);
    }
    return any;
  }
  /// Returns the state on which all ranks agree.
  LoaderState state() const {
    LoaderState common = loaders_[0]->state();
    for (const auto& loader : loaders_) EXPECT_EQ(loader->state(), common);
    return common;
  }

 private:
  std::vector<std::unique_ptr<Loader>> loaders_;
  std::vector<Epoch> walks_;
};

/// What was delivered of an epoch: how often each sample came.
class Ledger {
 public:
  Ledger(std::uint64_t samples, std::uint64_t epochs) : counts_(epochs), order_(epochs) {
    for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
      counts_[epoch].assign(samples, 0);
      order_[epoch].resize(samples);
      RandomSampler(samples).order(seed, epoch)->read(0, order_[epoch]);
    }
  }

  void note(const Batch& batch) {
    const ExpectedBatch made = content(batch);
    for (const FakeSample& sample : made.samples) {
      const auto index = static_cast<std::uint64_t>(sample.index);
      if (counts_[batch.epoch()][index]++ > 0) continue;
      // The first time it came it was at its own place, and so was augmented as ever.
      const auto& order = order_[batch.epoch()];
      const auto position =
          static_cast<std::uint64_t>(std::ranges::find(order, index) - order.begin());
      EXPECT_EQ(sample, FakeProducer::expected(index, {seed, batch.epoch(), position, 0}));
    }
  }

  const std::vector<int>& counts(std::uint64_t epoch) const { return counts_[epoch]; }
  std::uint64_t missing(std::uint64_t epoch) const {
    return static_cast<std::uint64_t>(std::ranges::count(counts_[epoch], 0));
  }
  std::uint64_t repeats(std::uint64_t epoch) const {
    std::uint64_t repeats = 0;
    for (const int count : counts_[epoch])
      repeats += static_cast<std::uint64_t>(std::max(0, count - 1));
    return repeats;
  }

 private:
  std::vector<std::vector<int>> counts_;
  std::vector<std::vector<std::uint64_t>> order_;
};

struct Rule {
  Remainder remainder;
  bool drop_last;
};

void PrintTo(const Rule& rule, std::ostream* out) {
  *out << name(rule.remainder) << (rule.drop_last ? ", drop_last" : "");
}

class Interruptions : public ::testing::TestWithParam<Rule> {};

constexpr std::uint64_t world_sizes[] = {4, 2, 3};

/// Runs all epochs, stopped after random numbers of steps and taken up by another number of ranks;
/// says with how many ranks each epoch ended.
std::vector<std::uint64_t> run(std::uint64_t samples, std::uint64_t epochs, LoaderOptions options,
                               int interruptions, std::mt19937& random, Ledger& ledger) {
  std::vector<std::uint64_t> ended_with(epochs, 0);
  std::size_t turn = 0;
  LoaderState state;
  std::uint64_t epoch = 0;
  bool fresh = true;
  while (epoch < epochs) {
    const std::uint64_t world_size = world_sizes[turn++ % 3];
    Ranks ranks(samples, options, world_size, random);
    if (!std::exchange(fresh, false)) {
      ranks.load(state);
      epoch = state.epoch;
    }
    // Enough steps for every interruption to fall into the run.
    const std::uint64_t whole = samples / options.batch_size / 3 * epochs;
    std::uint64_t steps = interruptions-- > 0 ? 1 + random() % (whole / 5) : ~0ULL;
    for (; epoch < epochs && steps > 0; ++epoch) {
      ranks.start(epoch);
      while (steps > 0 && ranks.step([&](const Batch& batch) { ledger.note(batch); })) --steps;
      if (steps > 0) ended_with[epoch] = world_size;
    }
    state = ranks.state();
    for (std::uint64_t e = 0; e < state.epoch && e < epochs; ++e) {
      if (ended_with[e] == 0) ended_with[e] = world_size;
    }
    if (steps == 0) epoch = state.epoch;
  }
  EXPECT_LT(interruptions, 0) << "the run was over before it was stopped often enough";
  return ended_with;
}

TEST_P(Interruptions, LoseAndRepeatNothingButAtTheEpochsEnd) {
  constexpr std::uint64_t samples = 523, epochs = 3;
  LoaderOptions options{.batch_size = 4, .shuffle = true, .seed = seed};
  options.remainder = GetParam().remainder;
  options.drop_last = GetParam().drop_last;
  for (std::uint32_t trial = 1; trial <= 6; ++trial) {
    SCOPED_TRACE(trial);
    std::mt19937 random(trial);
    Ledger ledger(samples, epochs);
    const auto ended_with = run(samples, epochs, options, 5, random, ledger);
    for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
      const std::uint64_t ranks = ended_with[epoch];
      const std::uint64_t most_dropped = options.drop_last ? ranks * options.batch_size - 1
                                         : options.remainder == Remainder::drop ? ranks - 1
                                                                                : 0;
      EXPECT_LE(ledger.missing(epoch), most_dropped) << "epoch " << epoch;
      EXPECT_LE(ledger.repeats(epoch), options.remainder == Remainder::pad ? ranks - 1 : 0)
          << "epoch " << epoch;
      if (options.remainder == Remainder::uneven && !options.drop_last) {
        EXPECT_THAT(ledger.counts(epoch), Each(1)) << "epoch " << epoch;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Interruptions,
                         ::testing::Values(Rule{Remainder::uneven, false},
                                           Rule{Remainder::pad, false},
                                           Rule{Remainder::drop, false}, Rule{Remainder::pad, true},
                                           Rule{Remainder::uneven, true}));

std::vector<ExpectedBatch> rest(Loader& loader, std::uint64_t epoch) {
  std::vector<ExpectedBatch> batches;
  for (const Batch& batch : loader.epoch(epoch)) batches.push_back(content(batch));
  return batches;
}

std::vector<ExpectedBatch> take(Epoch& walk, int count) {
  std::vector<ExpectedBatch> batches;
  for (int i = 0; i < count; ++i) batches.push_back(content(*walk.next()));
  return batches;
}

Loader loader_of(std::uint64_t samples, LoaderOptions options = {}) {
  options.seed = seed;
  options.shuffle = !options.sampler && !options.batch_sampler;
  return Loader(std::make_shared<FakeProducer>(samples), options);
}

TEST(Resume, ContinuesWithTheBatchesThatWouldHaveFollowed) {
  const LoaderOptions options{.batch_size = 8, .num_workers = 2};
  Loader whole = loader_of(100, options);
  const auto expected = rest(whole, 3);
  for (int delivered = 0; delivered <= 13; ++delivered) {
    Loader first = loader_of(100, options);
    Epoch walk = first.epoch(3);
    take(walk, delivered);
    const LoaderState state = first.state();
    LoaderOptions others = options;
    others.num_workers = delivered % 3;
    others.prefetch = 1 + static_cast<std::size_t>(delivered) % 5;
    Loader second = loader_of(100, others);
    second.load_state(state);
    if (delivered == 13) {
      EXPECT_EQ(state.epoch, 4U);
      EXPECT_EQ(state.position, 0U);
      continue;
    }
    EXPECT_EQ(state.position, static_cast<std::uint64_t>(delivered) * 8);
    EXPECT_EQ(rest(second, 3), std::vector(expected.begin() + delivered, expected.end()));
    EXPECT_EQ(rest(second, 4), rest(whole, 4));
  }
}

TEST(Resume, NumbersBatchesOnFromWhereTheStateWasTaken) {
  Loader first = loader_of(100, {.batch_size = 8});
  Epoch walk = first.epoch(0);
  take(walk, 5);
  Loader second = loader_of(100, {.batch_size = 8});
  second.load_state(first.state());
  Epoch rest_of_it = second.epoch(0);
  EXPECT_EQ(rest_of_it.size(), 8U);
  EXPECT_EQ(rest_of_it.next()->number(), 5U);
  EXPECT_EQ(second.epoch(1).size(), 13U);
}

TEST(Resume, MayChangeTheBatchSize) {
  Loader first = loader_of(100, {.batch_size = 8});
  Epoch walk = first.epoch(0);
  const auto head = take(walk, 3);
  Loader second = loader_of(100, {.batch_size = 5});
  second.load_state(first.state());
  std::vector<std::uint64_t> indices, order(100);
  for (const auto& batch : head)
    indices.insert(indices.end(), batch.indices.begin(), batch.indices.end());
  for (const auto& batch : rest(second, 0)) {
    indices.insert(indices.end(), batch.indices.begin(), batch.indices.end());
  }
  RandomSampler(100).order(seed, 0)->read(0, order);
  EXPECT_EQ(indices, order);
}

TEST(Resume, CountsDeliveredBatchesAndNotPrefetchedOnes) {
  auto producer = std::make_shared<FakeProducer>(64);
  std::atomic<int> produced = 0;
  producer->on_produce = [&](std::uint64_t) {
    ++produced;
    return Status{};
  };
  Loader loader(producer, {.batch_size = 4, .num_workers = 1, .prefetch = 8});
  Epoch walk = loader.epoch(0);
  EXPECT_EQ(loader.state().position, 0U);
  for (std::uint64_t batch = 1; batch <= 3; ++batch) {
    walk.next();
    EXPECT_EQ(loader.state().position, 4 * batch);
  }
  EXPECT_GT(produced, 0);
}

TEST(Resume, StartsAnEpochAtItsBeginningWhenItIsAskedForAgain) {
  Loader loader = loader_of(40, {.batch_size = 4});
  Epoch walk = loader.epoch(2);
  take(walk, 3);
  const LoaderState state = loader.state();
  EXPECT_EQ(rest(loader, 2).size(), 10U);  // after a break too
  loader.load_state(state);
  EXPECT_EQ(loader.state(), state);
  EXPECT_EQ(rest(loader, 2).size(), 7U);
  EXPECT_EQ(rest(loader, 2).size(), 10U);
  loader.load_state(state);
  EXPECT_EQ(rest(loader, 5).size(), 10U);  // another epoch than the state's
  EXPECT_EQ(rest(loader, 2).size(), 10U);
}

TEST(Resume, EndsAnEpochInWork) {
  Loader loader = loader_of(40, {.batch_size = 4, .num_workers = 2});
  Epoch old = loader.epoch(0);
  take(old, 2);
  const LoaderState state = loader.state();
  take(old, 5);
  loader.load_state(state);
  EXPECT_THROW(old.next(), Error);
  Loader whole = loader_of(40, {.batch_size = 4});
  const auto expected = rest(whole, 0);
  EXPECT_EQ(rest(loader, 0), std::vector(expected.begin() + 2, expected.end()));
}

TEST(Resume, PrefetchesTheNextEpochBehindAResumedOne) {
  Loader loader = loader_of(40, {.batch_size = 4, .num_workers = 2});
  LoaderState state = loader.state();
  state.position = 36;
  loader.load_state(state);
  EXPECT_EQ(rest(loader, 0).size(), 1U);
  EXPECT_EQ(rest(loader, 1).size(), 10U);
  EXPECT_EQ(loader.stats().epochs_cancelled, 0U);
}

TEST(Resume, TakesNoGuessedEpochForTheStatesOwn) {
  Loader loader = loader_of(40, {.batch_size = 4, .num_workers = 2});
  LoaderState state = loader.state();
  state.epoch = 1;
  state.position = 36;
  rest(loader, 0);  // epoch 1 is prefetched from its beginning now
  loader.load_state(state);
  EXPECT_EQ(rest(loader, 1).size(), 1U);
}

TEST(Resume, GoesOnWithTheNextEpochOnceTheConsumerWasToldOfTheEnd) {
  Loader loader = loader_of(43, {.batch_size = 4, .drop_last = true});
  Epoch walk = loader.epoch(2);
  take(walk, 10);
  EXPECT_EQ(loader.state().epoch, 2U);
  EXPECT_EQ(loader.state().position, 40U);
  EXPECT_FALSE(walk.next());
  EXPECT_EQ(loader.state().epoch, 3U);
  EXPECT_EQ(loader.state().position, 0U);
}

TEST(Resume, GoesOnBehindABatchThatFailed) {
  auto producer = std::make_shared<FakeProducer>(20);
  producer->on_read = [](std::uint64_t index) -> Status {
    if (index == 5) return fail(ErrorCode::io_error, "disk");
    return {};
  };
  Loader loader(producer, {.batch_size = 4});
  Epoch walk = loader.epoch(0);
  walk.next();
  EXPECT_THROW(walk.next(), Error);
  EXPECT_EQ(loader.state().position, 8U);
}

/// Pairs: an own batch sampler with batches of two.
class Pairs final : public BatchSampler {
 public:
  class Order final : public BatchOrder {
   public:
    std::uint64_t size() const override { return 10; }
    std::uint64_t first(std::uint64_t batch) const override { return 2 * batch; }
    void read(std::uint64_t batch, std::span<std::uint64_t> out) const override {
      out[0] = 19 - 2 * batch;
      out[1] = 18 - 2 * batch;
    }
  };
  std::uint64_t size() const override { return 10; }
  std::size_t max_batch_size() const override { return 2; }
  std::shared_ptr<const BatchOrder> order(std::uint64_t, std::uint64_t) const override {
    return std::make_shared<Order>();
  }
  std::string text() const override { return "pairs"; }
};

TEST(Resume, CountsWholeBatchesOfABatchSampler) {
  LoaderOptions options{.batch_sampler = std::make_shared<Pairs>(), .world_size = 2};
  Loader first = loader_of(20, options);
  Epoch walk = first.epoch(0);
  take(walk, 2);
  EXPECT_EQ(first.state().position, 4U);
  options.world_size = 3;
  options.rank = 1;
  Loader second = loader_of(20, options);
  second.load_state(first.state());
  const auto batches = rest(second, 0);
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].indices, (std::vector<std::uint64_t>{9, 8}));
  EXPECT_EQ(batches[1].indices, (std::vector<std::uint64_t>{3, 2}));
}

}  // namespace
}  // namespace stoker::testing
