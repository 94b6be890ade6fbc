#include "tests/distributed/thread_communicator.hpp"
#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/sources/memory_source.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace stoker::testing {
namespace {

using test::ThreadGroup;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A communicator that is somebody else's.
std::shared_ptr<Communicator> lent(Communicator& communicator) {
  return {std::shared_ptr<void>(), &communicator};
}

LoaderOptions options_of(Communicator& communicator) {
  LoaderOptions options{.batch_size = 2, .num_workers = 1};
  options.rank = communicator.rank();
  options.world_size = communicator.world_size();
  options.communicator = lent(communicator);
  return options;
}

std::vector<std::string> on_ranks(std::uint64_t world_size,
                                  const std::function<void(Communicator&)>& rank_main) {
  std::vector<std::string> messages;
  for (const auto& thrown : ThreadGroup(world_size).run(rank_main)) {
    messages.push_back(test::message_of(thrown));
  }
  return messages;
}

/// Makes a loader on each of three ranks, the second with options or data of its own.
std::vector<std::string> with_another_second(
    const std::function<void(LoaderOptions&, FakeProducer&)>& change) {
  return on_ranks(3, [&](Communicator& communicator) {
    LoaderOptions options = options_of(communicator);
    auto producer = std::make_shared<FakeProducer>(30);
    if (communicator.rank() == 1) change(options, *producer);
    Loader loader(producer, options);
    for (const Batch& batch : loader.epoch(0)) EXPECT_GT(batch.size(), 0U);
  });
}

TEST(LoaderRanks, WorkWhereTheyAgree) {
  EXPECT_THAT(with_another_second([](LoaderOptions& options, FakeProducer&) {
                options.num_workers = 0;
                options.prefetch = 2;
              }),
              Each(IsEmpty()));
}

TEST(LoaderRanks, AllRefuseWhatOneHasDifferent) {
  const auto all_say = [](const std::string& what, const auto& change) {
    EXPECT_THAT(with_another_second(change),
                Each(AllOf(HasSubstr("ranks_disagree"), HasSubstr(what), HasSubstr("rank 1"))));
  };
  all_say("seed", [](LoaderOptions& options, FakeProducer&) { options.seed = 3; });
  all_say("source", [](LoaderOptions&, FakeProducer& producer) { producer.source_name = "other"; });
  all_say("pipeline", [](LoaderOptions&, FakeProducer& producer) { producer.pipeline_text = "x"; });
  all_say("sampler", [](LoaderOptions& options, FakeProducer&) { options.shuffle = true; });
  all_say("batch_size", [](LoaderOptions& options, FakeProducer&) { options.batch_size = 3; });
}

TEST(LoaderRanks, NameTheRankWithAnotherNumberOfSteps) {
  const auto messages = with_another_second([](LoaderOptions& options, FakeProducer&) {
    options.sampler = std::make_shared<SequentialSampler>(24);
  });
  EXPECT_THAT(messages, Each(AllOf(HasSubstr("number of batches"), HasSubstr("\"4\""),
                                   HasSubstr("\"5\""), HasSubstr("rank 1"))));
}

TEST(LoaderRanks, RefuseTheSamePartOfTheDataTwice) {
  EXPECT_THAT(with_another_second([](LoaderOptions& options, FakeProducer&) { options.rank = 0; }),
              Each(HasSubstr("ranks_disagree")));
}

TEST(LoaderRanks, DoNotWaitForOneThatFailed) {
  const auto messages =
      with_another_second([](LoaderOptions& options, FakeProducer&) { options.prefetch = 0; });
  EXPECT_THAT(messages[1], HasSubstr("invalid_argument"));
  EXPECT_THAT(messages[0], AllOf(HasSubstr("rank 1 failed"), HasSubstr("prefetch")));
  EXPECT_EQ(messages[2], messages[0]);
}

TEST(LoaderRanks, DoNotWaitForOneWhosePipelineIsWrong) {
  const MemorySource data({{"a", {}, 0}, {"b", {}, 0}, {"c", {}, 0}});
  const auto messages = on_ranks(3, [&](Communicator& communicator) {
    const char* text = communicator.rank() == 2 ? "decode" : "decode | random_resized_crop(8)";
    Loader(data, Pipeline::parse(text), options_of(communicator));
  });
  EXPECT_THAT(messages[2], HasSubstr("invalid_pipeline"));
  EXPECT_THAT(messages[0], HasSubstr("rank 2 failed"));
  EXPECT_EQ(messages[1], messages[0]);
}

TEST(LoaderRanks, DoNotWaitForOneThatHasNoProducerOrCannotWriteItsSnapshots) {
  const auto messages = on_ranks(2, [&](Communicator& communicator) {
    Loader(communicator.rank() == 0 ? nullptr : std::make_shared<FakeProducer>(30),
           options_of(communicator));
  });
  EXPECT_THAT(messages, Each(HasSubstr("needs a producer")));
  const auto unwritable = on_ranks(2, [&](Communicator& communicator) {
    LoaderOptions options = options_of(communicator);
    options.snapshot.path = "/no/such/folder/state.json";
    Loader(std::make_shared<FakeProducer>(30), options);
  });
  EXPECT_THAT(unwritable[0], HasSubstr("not_found"));
  EXPECT_THAT(unwritable[1], AllOf(HasSubstr("rank 0 failed"), HasSubstr("/no/such/folder")));
}

/// A communicator that a loader owns alone.
class OwnCommunicator final : public Communicator {
 public:
  std::uint64_t rank() const override { return 0; }
  std::uint64_t world_size() const override { return 1; }
  std::vector<std::string> all_gather(const std::string& mine) override { return {mine}; }
};

TEST(LoaderRanks, NeedNotKeepTheCommunicatorWhereConstructionFails) {
  LoaderOptions options{.batch_size = 0};
  options.communicator = std::make_shared<OwnCommunicator>();
  EXPECT_THROW(Loader(std::make_shared<FakeProducer>(3), std::move(options)), Error);
}

TEST(LoaderRanks, AreToldWhereTheirCallsDiffer) {
  const auto messages = on_ranks(2, [](Communicator& communicator) {
    Loader loader(std::make_shared<FakeProducer>(30), options_of(communicator));
    if (communicator.rank() == 0) {
      loader.load_state(loader.state());
    } else {
      Loader(std::make_shared<FakeProducer>(30), options_of(communicator));
    }
  });
  EXPECT_THAT(messages, Each(AllOf(HasSubstr("call"), HasSubstr("load_state"),
                                   HasSubstr("construction of a loader"))));
}

TEST(LoaderRanks, LoadStatesOfTheSameStepOnly) {
  const auto load = [](bool same) {
    return on_ranks(3, [same](Communicator& communicator) {
      Loader loader(std::make_shared<FakeProducer>(30), options_of(communicator));
      Epoch walk = loader.epoch(0);
      walk.next();
      if (communicator.rank() == 2 && !same) walk.next();
      loader.load_state(loader.state());
    });
  };
  EXPECT_THAT(load(true), Each(IsEmpty()));
  EXPECT_THAT(load(false), Each(AllOf(HasSubstr("ranks_disagree"), HasSubstr("position"),
                                      HasSubstr("rank 2"), HasSubstr("\"12\""))));
}

TEST(LoaderRanks, RefuseAStateTogetherAndStayWhereTheyAre) {
  const auto messages = on_ranks(2, [](Communicator& communicator) {
    Loader loader(std::make_shared<FakeProducer>(30), options_of(communicator));
    Epoch walk = loader.epoch(0);
    walk.next();
    LoaderState state = loader.state();
    if (communicator.rank() == 1) state.source = "other";
    EXPECT_THROW(loader.load_state(state), Error);
    EXPECT_EQ(walk.next()->indices()[0], 4 + communicator.rank());
  });
  EXPECT_THAT(messages, Each(IsEmpty()));
}

class SharedState : public ::testing::Test {
 protected:
  SharedState()
      : folder_(std::filesystem::temp_directory_path() /
                ("stoker_ranks_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SharedState() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file_of(std::uint64_t rank) const {
    return folder_ / ("state" + std::to_string(rank));
  }
  /// Lets three ranks go on from files of their own; returns each one's first sample.
  std::vector<std::string> resume(std::vector<std::uint64_t>& firsts) const {
    firsts.assign(3, 999);
    return on_ranks(3, [&](Communicator& communicator) {
      Loader loader(std::make_shared<FakeProducer>(30), options_of(communicator));
      const std::uint64_t epoch = loader.resume_or_start(file_of(communicator.rank()));
      firsts[communicator.rank()] = loader.epoch(epoch).next()->indices()[0];
    });
  }
  void write(std::uint64_t rank, std::uint64_t position) const {
    LoaderOptions options{.batch_size = 2, .world_size = 5};
    LoaderState state = Loader(std::make_shared<FakeProducer>(30), options).state();
    state.position = position;
    std::ofstream(file_of(rank)) << state.json();
  }

  std::filesystem::path folder_;
};

TEST_F(SharedState, IsGivenToRanksThatDoNotSeeTheFile) {
  write(1, 10);
  std::vector<std::uint64_t> firsts;
  EXPECT_THAT(resume(firsts), Each(IsEmpty()));
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{10, 11, 12}));
}

TEST_F(SharedState, MayBeMissingEverywhere) {
  std::vector<std::uint64_t> firsts;
  EXPECT_THAT(resume(firsts), Each(IsEmpty()));
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST_F(SharedState, MustBeOfTheSameStepOnAllRanks) {
  write(0, 10);
  write(2, 20);
  std::vector<std::uint64_t> firsts;
  EXPECT_THAT(resume(firsts),
              Each(AllOf(HasSubstr("different steps"), HasSubstr("rank 0"), HasSubstr("rank 2"))));
}

TEST_F(SharedState, ThatOneRankCannotReadIsAnErrorOnAll) {
  write(0, 10);
  std::ofstream(file_of(2)) << "{";
  std::vector<std::uint64_t> firsts;
  const auto messages = resume(firsts);
  EXPECT_THAT(messages[2], HasSubstr("bad_state"));
  EXPECT_THAT(messages[0], HasSubstr("rank 2 failed"));
  EXPECT_EQ(messages[1], messages[0]);
}

/// What a loader over 10 samples refuses, before it starts a thread.
std::string refusal(LoaderOptions options, std::uint64_t size = 10) {
  try {
    Loader(std::make_shared<FakeProducer>(size), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LoaderRanks, AreRefusedWhereTheyCannotBe) {
  EXPECT_THAT(refusal({.world_size = 0}), HasSubstr("world_size must be at least 1"));
  EXPECT_THAT(refusal({.rank = 3, .world_size = 3}), HasSubstr("rank 3"));
  EXPECT_THAT(refusal({.rank = 1}), HasSubstr("rank 1"));
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    EXPECT_THAT(refusal({.world_size = 11, .remainder = remainder}),
                HasSubstr("10 samples cannot be split among 11 ranks"));
    EXPECT_THAT(refusal({.world_size = 10, .remainder = remainder}), IsEmpty());
  }
  EXPECT_THAT(refusal({.world_size = 2}, 0), HasSubstr("empty_source"));
  LoaderOptions both{.world_size = 2};
  both.sampler = std::make_shared<DistributedSampler>(10, RankSplit{0, 2});
  EXPECT_THAT(refusal(both), HasSubstr("DistributedSampler excludes"));
}

TEST(LoaderRanks, AreRefusedEpochsThatRandomNumbersCannotTellApart) {
  Loader loader(std::make_shared<FakeProducer>(4), {});
  EXPECT_THROW(loader.epoch(std::uint64_t{1} << 28), Error);
  EXPECT_TRUE(loader.epoch((std::uint64_t{1} << 28) - 1).next());
  EXPECT_THAT(refusal({.num_epochs = (std::uint64_t{1} << 28) + 1}), HasSubstr("epoch"));
}

TEST(LoaderRanks, MaskAFailedSampleWhereNoneMayComeTwice) {
  for (const int num_workers : {0, 2}) {
    auto producer = std::make_shared<FakeProducer>(10);
    producer->on_read = [](std::uint64_t index) -> Status {
      if (index == 3) return fail(ErrorCode::io_error, "disk");
      return {};
    };
    producer->on_produce = [](std::uint64_t index) -> Status {
      if (index == 6) return fail(ErrorCode::corrupt, "pixels");
      return {};
    };
    LoaderOptions options{.batch_size = 5, .num_workers = num_workers};
    options.on_error = OnError::skip;
    options.remainder = Remainder::uneven;
    options.num_epochs = 2;
    Loader loader(producer, options);
    std::vector<std::uint8_t> valid;
    std::vector<std::uint64_t> indices;
    for (int epoch = 0; epoch < 2; ++epoch) {
      valid.clear();
      indices.clear();
      for (const Batch& batch : loader.epoch(static_cast<std::uint64_t>(epoch))) {
        valid.insert(valid.end(), batch.valid().begin(), batch.valid().end());
        indices.insert(indices.end(), batch.indices().begin(), batch.indices().end());
        for (std::size_t i = 0; i < batch.size(); ++i) {
          if (batch.valid()[i] == 1) continue;
          EXPECT_EQ(fake_samples(batch["sample"])[i], (FakeSample{0, 0}));
        }
      }
      EXPECT_EQ(valid, (std::vector<std::uint8_t>{1, 1, 1, 0, 1, 1, 0, 1, 1, 1}));
      EXPECT_EQ(indices, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    }
    EXPECT_EQ(loader.stats().samples_skipped, 4U);
  }
}

}  // namespace
}  // namespace stoker::testing
