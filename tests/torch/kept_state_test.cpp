// Where a loader stands is its own behind a state that is refused, and behind one of a loader that
// never began.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/archives.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stoker::torch::testing {
namespace {

using Archive = ::torch::serialize::OutputArchive;

constexpr std::size_t samples = 23;

/// Numbers in order. Its `load` changes it before it throws.
struct Careless : data::samplers::SequentialSampler {
  using SequentialSampler::SequentialSampler;
  void load(::torch::serialize::InputArchive& archive) override {
    SequentialSampler::load(archive);
    reset(5);
    throw std::runtime_error("the sampler was careless");
  }
};

/// A data loader's stream of stacked numbers.
class Stream {
 public:
  template <class Sampler>
  Stream(const Sampler& sampler, const DataLoaderOptions& options, std::size_t size = samples)
      : loader_(
            detail::StackAccess<decltype(stacked_numbers(size))>::samples(stacked_numbers(size)),
            order(sampler, options), options) {}

  void begin() { loader_.start(); }
  /// The next batch's numbers; none at the end.
  std::vector<std::int64_t> next() {
    auto fields = loader_.next();
    return fields ? numbers_in(fields->at(1)) : std::vector<std::int64_t>{};
  }
  std::vector<std::int64_t> rest() {
    std::vector<std::int64_t> all;
    for (auto some = next(); !some.empty(); some = next()) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  std::string state() const {
    return archive_of([&](Archive& archive) { loader_.save(archive); });
  }
  void load(const std::string& state) {
    auto archive = archive_from(state);
    loader_.load(archive);
  }

 private:
  template <class Sampler>
  static SampleOrder order(const Sampler& sampler, const DataLoaderOptions& options) {
    if constexpr (detail::StokerSamplerType<Sampler>) {
      return {detail::shared(sampler), {}, {}, {}, {}};
    } else {
      return detail::torch_order(sampler, options);
    }
  }

  SampleLoader loader_;
};

/// What a loader of so many numbers saves behind its first batch.
template <class Sampler>
std::string state_of(const Sampler& sampler, const DataLoaderOptions& options,
                     std::size_t size = samples) {
  Stream stream(sampler, options, size);
  stream.begin();
  stream.next();
  return stream.state();
}

/// States that are refused in the middle of an epoch: the walk goes on, and what is saved then
/// does.
template <class Sampler>
void expect_walk_goes_on(const Sampler& sampler, const std::vector<std::string>& refused) {
  for (const std::size_t workers : {0, 2}) {
    const auto options = DataLoaderOptions(4).workers(workers);
    Stream stream(sampler, options);
    stream.begin();
    for (std::size_t i = 0; i < 2 * refused.size(); ++i) {
      if (i % 5 == 0) stream.begin();
      const auto first = static_cast<std::int64_t>(4 * (i % 5));
      EXPECT_EQ(stream.next(), from_to(first, first + 4));
      const std::string& state = refused[i % refused.size()];
      EXPECT_THROW(stream.load(state), std::exception) << i;
      Stream resumed(sampler, options);
      resumed.load(stream.state());
      resumed.begin();
      EXPECT_EQ(resumed.next(), from_to(first + 4, std::min<std::int64_t>(first + 8, samples)));
    }
    stream.begin();
    EXPECT_EQ(stream.rest(), from_to(0, samples));
  }
}

TEST(RefusedState, LeavesTheWalkOverATorchSamplersBatchesAsItWas) {
  using data::samplers::SequentialSampler;
  const auto four = DataLoaderOptions(4);
  const auto broken_sampler = archive_of([](Archive& out) {
    out.write("stoker_epochs", c10::IValue(1));
    out.write("stoker_made_for", c10::IValue("a dataset of 23 in the order of "
                                             "torch::data::samplers::SequentialSampler"));
    out.write("stoker_indices", at::tensor({3}, at::kLong), true);
    out.write("stoker_firsts", at::tensor({0, 1}, at::kLong), true);
    Archive sampler;
    sampler.write("something", at::ones({1}));
    out.write("stoker_sampler", sampler);
  });
  expect_walk_goes_on(
      SequentialSampler(samples),
      {archive_of([](Archive&) {}), broken_sampler, state_of(SequentialSampler(30), four, 30),
       state_of(data::samplers::RandomSampler(samples), four),
       state_of(stoker::SequentialSampler(samples), four)});
}

TEST(RefusedState, LeavesTheWalkInTheOrderOfStokersSamplersAsItWas) {
  using stoker::SequentialSampler;
  const auto four = DataLoaderOptions(4);
  expect_walk_goes_on(SequentialSampler(samples),
                      {archive_of([](Archive&) {}), state_of(SequentialSampler(30), four, 30),
                       state_of(SequentialSampler(samples), DataLoaderOptions(four).seed(1)),
                       state_of(stoker::RandomSampler(samples), four),
                       state_of(data::samplers::SequentialSampler(samples), four)});
}

TEST(RefusedState, LeavesASamplerThatThrewAsItWas) {
  const auto four = DataLoaderOptions(4);
  Stream stream(Careless(samples), four);
  stream.begin();
  EXPECT_EQ(stream.next(), from_to(0, 4));
  EXPECT_THROW(stream.load(state_of(Careless(samples), four)), std::runtime_error);
  EXPECT_EQ(stream.next(), from_to(4, 8));
  stream.begin();
  EXPECT_EQ(stream.rest(), from_to(0, samples));
}

/// A state from before the first epoch, into a loader that has gone on since.
template <class Sampler>
void expect_begins_anew(const Sampler& sampler, std::size_t workers) {
  const auto options = DataLoaderOptions(4).workers(workers);
  const std::string fresh = Stream(sampler, options).state();
  const auto later = [&] {
    Stream stream(sampler, options);
    for (int epoch = 0; epoch < 3; ++epoch) {
      stream.begin();
      stream.rest();
    }
    stream.begin();
    stream.next();
    return stream.state();
  }();
  Stream loaded(sampler, options);
  loaded.begin();
  loaded.next();
  loaded.load(later);  // never begun
  loaded.load(fresh);
  EXPECT_EQ(loaded.next(), std::vector<std::int64_t>{}) << "the epoch before is over";
  Stream third(sampler, options);
  third.load(loaded.state());
  for (auto* stream : {&loaded, &third}) {
    Stream expected(sampler, options);
    for (int epoch = 0; epoch < 2; ++epoch) {
      expected.begin();
      stream->begin();
      EXPECT_EQ(stream->rest(), expected.rest());
    }
  }
}

TEST(FreshState, InALoaderThatHasGoneOnIsTheFirstEpochAlsoWhereItIsSavedAgain) {
  for (const std::size_t workers : {0, 2}) {
    expect_begins_anew(stoker::RandomSampler(samples), workers);
    expect_begins_anew(data::samplers::SequentialSampler(samples), workers);
  }
}

}  // namespace
}  // namespace stoker::torch::testing
