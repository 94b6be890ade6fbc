#include "src/engine/executor.hpp"
#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace stoker {
namespace {

using testing::FakeProducer;

/// Numbers that are copied several at once; `produce` writes their negatives, so that it shows
/// which way they came.
class Numbers final : public Producer {
 public:
  explicit Numbers(std::uint64_t size) : size_(size) {}

  std::atomic<int> copies{0}, in_place{0};
  bool blocks = false;

  bool may_block() const override { return blocks; }
  std::uint64_t size() const override { return size_; }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override { return std::to_string(index); }
  std::string fingerprint() const override { return "numbers"; }
  std::string pipeline() const override { return "none"; }
  bool in_memory() const override { return true; }
  Status read(std::uint64_t, EncodedSample&) const override { return {}; }
  bool copy(std::span<const std::uint64_t> indices,
            std::span<std::byte* const> fields) const override {
    ++const_cast<Numbers*>(this)->copies;
    if (!in_task()) ++const_cast<Numbers*>(this)->in_place;
    std::vector<std::int64_t> numbers(indices.begin(), indices.end());
    std::memcpy(fields[0], numbers.data(), numbers.size() * sizeof(std::int64_t));
    return true;
  }
  Status produce(std::uint64_t index, const EncodedSample&, const SamplePlace& place,
                 const RandomKey&, ProduceCounters&) const override {
    const auto number = -static_cast<std::int64_t>(index);
    std::memcpy(place[0], &number, sizeof number);
    return {};
  }

 private:
  std::uint64_t size_;
  std::vector<FieldSpec> fields_{{"number", DType::int64, {}}};
};

TEST(CopyingProducer, GivesTheSameBatchesForAnyNumberOfWorkers) {
  for (const int workers : {0, 1, 3}) {
    const auto numbers = std::make_shared<Numbers>(1003);
    Loader loader(numbers, {.batch_size = 100, .num_workers = workers});
    std::int64_t next = 0;
    for (const Batch& batch : loader.epoch(0, true)) {
      const auto* values = batch["number"].as<std::int64_t>();
      for (std::size_t i = 0; i < batch.size(); ++i) EXPECT_EQ(values[i], next++);
    }
    EXPECT_EQ(next, 1003);
    EXPECT_GE(numbers->copies.load(), 11);
    EXPECT_EQ(loader.stats().produce.items, 1003U);
  }
}

TEST(CopyingProducer, CopiesLittleWithoutWaitingForAWorkerUnlessItMayBlock) {
  for (const bool blocks : {false, true}) {
    const auto numbers = std::make_shared<Numbers>(200'000);
    numbers->blocks = blocks;
    Loader loader(numbers, {.batch_size = 10, .num_workers = 2});
    std::int64_t next = 0;
    for (const Batch& batch : loader.epoch(0, true)) {
      const auto* values = batch["number"].as<std::int64_t>();
      for (std::size_t i = 0; i < batch.size(); ++i) ASSERT_EQ(values[i], next++);
    }
    EXPECT_EQ(next, 200'000);
    EXPECT_EQ(numbers->in_place.load() > 0, !blocks);
    EXPECT_EQ(loader.stats().produce.items, 200'000U);
  }
}

TEST(CopyingProducer, LeavesPaddingToZeros) {
  const auto numbers = std::make_shared<Numbers>(7);
  Loader loader(numbers, {.batch_size = 5, .num_workers = 2, .static_batch = true});
  std::vector<std::int64_t> all;
  for (const Batch& batch : loader.epoch(0, true)) {
    const auto* values = batch["number"].as<std::int64_t>();
    all.insert(all.end(), values, values + batch.size());
  }
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 0, 0, 0}));
}

TEST(CopyingProducer, LeavesPaddingToZerosAlsoWhereItCopiesInPlace) {
  const auto numbers = std::make_shared<Numbers>(50'004);
  Loader loader(numbers, {.batch_size = 5, .num_workers = 2, .static_batch = true});
  std::vector<std::int64_t> last;
  for (const Batch& batch : loader.epoch(0, true)) {
    const auto* values = batch["number"].as<std::int64_t>();
    last.assign(values, values + batch.size());
  }
  EXPECT_EQ(last, (std::vector<std::int64_t>{50'000, 50'001, 50'002, 50'003, 0}));
  EXPECT_GT(numbers->in_place.load(), 0);
}

/// Epoch e has e + 1 batches of 2.
class Growing final : public BatchSampler {
 public:
  class Batches final : public BatchOrder {
   public:
    explicit Batches(std::uint64_t size) : size_(size) {}
    std::uint64_t size() const override { return size_; }
    std::uint64_t first(std::uint64_t batch) const override { return 2 * batch; }
    void read(std::uint64_t batch, std::span<std::uint64_t> out) const override {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = 2 * batch + i;
    }

   private:
    std::uint64_t size_;
  };

  mutable std::atomic<std::uint64_t> furthest{0};

  std::uint64_t size() const override { return 1000; }
  bool epochs_differ() const override { return true; }
  std::uint64_t size_of(std::uint64_t epoch) const override { return epoch + 1; }
  std::size_t max_batch_size() const override { return 2; }
  std::shared_ptr<const BatchOrder> order(std::uint64_t, std::uint64_t epoch) const override {
    furthest = std::max(furthest.load(), epoch);
    return std::make_shared<Batches>(epoch + 1);
  }
  std::string text() const override { return "growing"; }
};

TEST(BatchSampler, MayHaveEpochsOfDifferentSizes) {
  for (const int workers : {0, 2}) {
    const auto sampler = std::make_shared<Growing>();
    Loader loader(std::make_shared<FakeProducer>(100),
                  {.num_workers = workers, .prefetch = 8, .batch_sampler = sampler});
    for (const std::uint64_t epoch : {3, 4, 0, 5}) {
      Epoch walk = loader.epoch(epoch);
      EXPECT_EQ(walk.size(), epoch + 1);
      std::uint64_t batches = 0;
      while (walk.next()) ++batches;
      EXPECT_EQ(batches, epoch + 1);
      EXPECT_LE(sampler->furthest.load(), std::max<std::uint64_t>(epoch, 4)) << "not asked for yet";
    }
  }
}

TEST(BatchSampler, WhoseEpochsDifferHasNoneCancelledButWhatIsLeftEarly) {
  Loader loader(std::make_shared<FakeProducer>(100),
                {.num_workers = 1, .batch_sampler = std::make_shared<Growing>()});
  for (const std::uint64_t epoch : {3, 4, 1}) {
    Epoch walk = loader.epoch(epoch);
    while (walk.next()) continue;
  }
  EXPECT_EQ(loader.stats().epochs_cancelled, 0U);
  (void)loader.epoch(2).next();
  (void)loader.epoch(2);
  EXPECT_EQ(loader.stats().epochs_cancelled, 1U);
}

TEST(BatchSampler, RanksAgreeWhereAnEpochOfFewerBatchesEnds) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    for (const std::uint64_t rank : {0, 1}) {
      Loader loader(std::make_shared<FakeProducer>(100),
                    {.num_workers = 1,
                     .batch_sampler = std::make_shared<Growing>(),
                     .rank = rank,
                     .world_size = 2,
                     .remainder = remainder});
      Epoch walk = loader.epoch(2);
      EXPECT_TRUE(walk.next());
      EXPECT_EQ(loader.state().epoch, 2U);
      EXPECT_EQ(loader.state().position, 2U);
      (void)walk.next();  // some have no second one
      EXPECT_EQ(loader.state().epoch, 3U);
      EXPECT_EQ(loader.state().position, 0U);
    }
  }
}

}  // namespace
}  // namespace stoker
