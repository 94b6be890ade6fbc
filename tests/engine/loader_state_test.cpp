#include <stoker/engine/loader_state.hpp>

#include "tests/engine/fake_producer.hpp"
#include "tests/error_of.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <gmock/gmock.h>

#include <functional>
#include <string>

namespace stoker::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// What a state that does not fit is refused with.
std::string refusal_of(const std::function<void()>& code) {
  return testing::error_of(code, ErrorCode::bad_state);
}

LoaderState some_state() {
  LoaderState state;
  state.epoch = 7;
  state.position = (std::uint64_t{1} << 63) + 5;
  state.seed = ~std::uint64_t{0};
  state.sampler = "random(size=10)";
  state.remainder = "uneven";
  state.drop_last = true;
  state.source = "0123456789abcdef";
  state.pipeline = "decode | to(\"é\\n\")";
  state.batch_size = 64;
  state.world_size = 8;
  return state;
}

TEST(LoaderState, IsReadBackAsItWasWritten) {
  EXPECT_EQ(LoaderState::parse(some_state().json()), some_state());
  EXPECT_LT(some_state().json().size(), 1000U);
}

TEST(LoaderState, KnowsATextThatIsCutOffAnywhere) {
  const std::string text = some_state().json();
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_THAT(refusal_of([&] { LoaderState::parse(text.substr(0, length)); }),
                HasSubstr("no saved state"));
  }
}

TEST(LoaderState, RefusesWhatIsNoState) {
  for (const char* text : {"[]", "3", "null", "{}", "{\"version\": 1}", "{\"version\": \"1\"}",
                           "hello", "\x00\xff\xfe", "{\"version\": -1}", "{\"version\": 1.0}"}) {
    EXPECT_THAT(refusal_of([&] { LoaderState::parse(text); }), HasSubstr("no saved state")) << text;
  }
}

TEST(LoaderState, RefusesWhatWouldTakeTimeOrMemoryToRead) {
  const auto nested = [](std::size_t depth) {
    return "{\"version\": " + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_THAT(refusal_of([&] { LoaderState::parse(nested(100'000)); }), HasSubstr("\"version\""));
  EXPECT_THAT(refusal_of([] { LoaderState::parse("{\"version\": 1e999}"); }),
              HasSubstr("no saved state"));
  EXPECT_THAT(refusal_of([] { LoaderState::parse(std::string(2 << 20, '[')); }),
              HasSubstr("2097152 bytes"));
  const std::string long_text = "{\"version\": \"" + std::string(500'000, 'a') + "\"}";
  EXPECT_LT(refusal_of([&] { LoaderState::parse(long_text); }).size(), 300U);
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = some_state().json();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LoaderState, RefusesAnotherVersionAndValuesThatCannotBe) {
  EXPECT_THAT(refusal_of([] { LoaderState::parse(with("\"version\": 1", "\"version\": 2")); }),
              HasSubstr("version 2"));
  EXPECT_THAT(refusal_of([] { LoaderState::parse(with("\"epoch\": 7", "\"epoch\": -7")); }),
              AllOf(HasSubstr("\"epoch\""), HasSubstr("-7")));
  EXPECT_THAT(refusal_of([] {
                LoaderState::parse(with("\"epoch\": 7", "\"epoch\": 18446744073709551616"));
              }),
              HasSubstr("64 bits"));
  EXPECT_THAT(
      refusal_of([] { LoaderState::parse(with("\"drop_last\": true", "\"drop_last\": 1")); }),
      HasSubstr("drop_last"));
  EXPECT_THAT(refusal_of([] { LoaderState::parse(with("\"source\"", "\"sauce\"")); }),
              HasSubstr("\"source\" is missing"));
}

class LoadState : public ::testing::Test {
 protected:
  static Loader make(LoaderOptions options = {}) {
    return Loader(std::make_shared<FakeProducer>(30), options);
  }
  /// Loads a state that was changed, which must be refused and leave the loader where it was.
  static std::string refusal(const std::function<void(LoaderState&)>& change) {
    Loader loader = make({.batch_size = 3, .num_workers = 2});
    Epoch walk = loader.epoch(0);
    walk.next();
    const LoaderState before = loader.state();
    LoaderState state = before;
    change(state);
    const std::string error = refusal_of([&] { loader.load_state(state); });
    EXPECT_EQ(loader.state(), before);
    EXPECT_EQ(walk.next()->indices()[0], 3U);
    return error;
  }
};

TEST_F(LoadState, RefusesAnotherRunsStateAndLeavesTheLoaderAsItWas) {
  EXPECT_THAT(refusal([](LoaderState& s) { s.source = "other"; }), HasSubstr("another source"));
  EXPECT_THAT(refusal([](LoaderState& s) { s.pipeline = "decode"; }),
              AllOf(HasSubstr("another pipeline"), HasSubstr("\"decode\""), HasSubstr("\"fake\"")));
  EXPECT_THAT(refusal([](LoaderState& s) { s.seed = 4; }), HasSubstr("another seed"));
  EXPECT_THAT(refusal([](LoaderState& s) { s.sampler = "random(size=30)"; }),
              HasSubstr("another sampler"));
  EXPECT_THAT(refusal([](LoaderState& s) { s.remainder = "drop"; }),
              HasSubstr("another remainder"));
  EXPECT_THAT(refusal([](LoaderState& s) { s.drop_last = true; }), HasSubstr("another drop_last"));
  EXPECT_THAT(refusal([](LoaderState& s) { s.version = 9; }), HasSubstr("another version"));
  EXPECT_THAT(refusal([](LoaderState& s) { s.position = 31; }), HasSubstr("position 31"));
  EXPECT_THAT(refusal([](LoaderState& s) { s.epoch = std::uint64_t{1} << 28; }),
              HasSubstr("epoch 268435456"));
}

TEST_F(LoadState, SaysWhatDiffersOnOneShortLine) {
  const std::string error =
      refusal([](LoaderState& s) { s.source = "a\nb\x1b[31m" + std::string(100'000, 'x'); });
  EXPECT_LT(error.size(), 1000U);
  EXPECT_EQ(error.find_first_of("\n\x1b"), std::string::npos) << error;
}

TEST_F(LoadState, TakesItsOwnStateBackWhateverTheTextsAre) {
  auto producer = std::make_shared<FakeProducer>(30);
  producer->source_name = "a\xff b";
  producer->pipeline_text = "caf\xe9";
  Loader loader(producer, {});
  EXPECT_NO_THROW(loader.load_state(LoaderState::parse(loader.state().json())));
}

TEST_F(LoadState, KnowsBatchesOfAnySizeAndAnyNumberOfRanks) {
  LoaderOptions options{.batch_size = std::size_t{1} << 24, .world_size = std::uint64_t{1} << 32};
  options.sampler = std::make_shared<SequentialSampler>(std::uint64_t{1} << 40);
  Loader loader = make(options);
  EXPECT_NO_THROW(loader.load_state(loader.state()));
  options.world_size = (std::uint64_t{1} << 32) + 1;
  EXPECT_THROW(make(options), Error);
  options.world_size = 1;
  options.sampler = std::make_shared<SequentialSampler>((std::uint64_t{1} << 48) + 1);
  EXPECT_THROW(make(options), Error);
  options.sampler = std::make_shared<SequentialSampler>(0);
  EXPECT_THROW(make(options), Error);
}

TEST_F(LoadState, TakesBatchesDeliveredAsTheyWereCompletedForNoPrefix) {
  Loader loader = make({.delivery = Delivery::as_completed});
  const auto invalid = ErrorCode::invalid_state;
  EXPECT_THAT(error_of([&] { loader.state(); }, invalid), HasSubstr("in_order"));
  EXPECT_THAT(error_of([&] { loader.load_state(make().state()); }, invalid), HasSubstr("in_order"));
}

TEST_F(LoadState, KnowsTheBeginningOfARun) {
  const LoaderState state = make().state();
  EXPECT_EQ(state.epoch, 0U);
  EXPECT_EQ(state.position, 0U);
}

TEST_F(LoadState, IsTheSameWithADistributedSamplerAndWithTheLoadersOwnOptions) {
  const auto whole = std::make_shared<SequentialSampler>(30);
  LoaderOptions with_sampler, with_options{.rank = 1, .world_size = 3};
  with_sampler.sampler = std::make_shared<DistributedSampler>(whole, RankSplit{1, 3});
  Loader a = make(with_sampler), b = make(with_options);
  EXPECT_EQ(a.state(), b.state());
  EXPECT_EQ(a.options().rank, 1U);
  EXPECT_EQ(a.size(), b.size());
  EXPECT_EQ(a.epoch(0).next()->indices()[0], 1U);
}

}  // namespace
}  // namespace stoker::testing
