// Archives that hold no state, a damaged one, or another loader's.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/archives.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/torch/make_data_loader.hpp>
#include <stoker/torch/state.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::RandomSampler;
using Archive = ::torch::serialize::OutputArchive;

constexpr std::size_t samples = 23;

auto by_torch(std::size_t size = samples) {
  return torch::make_data_loader(stacked_numbers(size), RandomSampler(size), 4);
}
auto by_stoker(std::size_t size = samples, std::uint64_t seed = 0) {
  return torch::make_data_loader(stacked_numbers(size), stoker::RandomSampler(size),
                                 DataLoaderOptions(4).seed(seed));
}

/// Loading must be refused, and leave the loader able to walk an epoch.
template <class LoaderPtr>
void expect_refused(LoaderPtr loader, const std::string& archive) {
  loader->begin();
  message_of_error(ErrorCode::bad_state, [&] { load(*loader, archive); });
  EXPECT_EQ(targets_of_epoch(*loader).size(), samples);
}

TEST(DamagedState, ArchivesOfSomethingElse) {
  for (const std::string& archive :
       {archive_of([](Archive&) {}), saved(at::ones({3})),
        archive_of([](Archive& out) { out.write("stoker_epochs", c10::IValue("many")); }),
        archive_of([](Archive& out) { out.write("stoker_epochs", c10::IValue(-1)); }),
        archive_of([](Archive& out) { out.write("stoker_epochs", at::ones({1})); })}) {
    expect_refused(by_torch(), archive);
    expect_refused(by_stoker(), archive);
  }
}

TEST(DamagedState, OfALoaderWithAnotherKindOfSampler) {
  auto torchs = by_torch();
  auto stokers = by_stoker();
  torchs->begin();
  stokers->begin();
  expect_refused(by_stoker(), saved(*torchs));
  expect_refused(by_torch(), saved(*stokers));
}

const c10::IValue right_loader(
    "a dataset of 23 in the order of torch::data::samplers::RandomSampler");

/// An archive of a loader with a LibTorch sampler: whole where nothing is given in another way.
std::string drawn(const at::Tensor& indices, const at::Tensor& firsts, std::int64_t epochs = 1,
                  bool with_sampler = true, const c10::IValue& made_for = right_loader) {
  return archive_of([&](Archive& out) {
    out.write("stoker_epochs", c10::IValue(epochs));
    out.write("stoker_made_for", made_for);
    if (indices.defined()) out.write("stoker_indices", indices, true);
    if (firsts.defined()) out.write("stoker_firsts", firsts, true);
    Archive sampler;
    RandomSampler(samples).save(sampler);
    if (with_sampler) out.write("stoker_sampler", sampler);
  });
}

at::Tensor longs(const std::vector<std::int64_t>& numbers) {
  return at::tensor(numbers, at::kLong);
}

TEST(DamagedState, OfATorchSamplersBatches) {
  auto loader = by_torch();
  load(*loader, drawn(longs({3, 1, 2}), longs({0, 2, 3})));
  EXPECT_EQ(targets_of_epoch(*loader), (std::vector<std::int64_t>{3, 1, 2}));

  const at::Tensor indices = longs({3, 1, 2}), firsts = longs({0, 2, 3});
  for (const std::string& archive :
       {drawn({}, firsts), drawn(indices, {}), drawn(indices.to(at::kInt), firsts),
        drawn(indices.view({1, 3}), firsts), drawn(indices, longs({})), drawn(indices, longs({0})),
        drawn(indices, longs({1, 3})), drawn(indices, longs({0, 2})),
        drawn(indices, longs({0, 2, 1, 3})), drawn(indices, longs({0, 4, 3})),
        drawn(indices, longs({0, 2, 2, 3})), drawn(longs({3, -1, 2}), firsts),
        drawn(longs({3, 1, 23}), firsts), drawn(indices, firsts, 0), drawn(indices, firsts, -1),
        drawn(indices, firsts, 1, false), drawn(indices, firsts, 1, true, c10::IValue()),
        drawn(indices, firsts, 1, true, c10::IValue("a dataset of 24"))}) {
    expect_refused(by_torch(), archive);
  }
}

TEST(DamagedState, OfATorchSampler) {
  const std::string archive = archive_of([](Archive& out) {
    out.write("stoker_epochs", c10::IValue(1));
    out.write("stoker_made_for", right_loader);
    out.write("stoker_indices", longs({3}), true);
    out.write("stoker_firsts", longs({0, 1}), true);
    Archive sampler;
    sampler.write("something", at::ones({1}));
    out.write("stoker_sampler", sampler);
  });
  expect_refused(by_torch(), archive);
}

TEST(DamagedState, OfALoaderOfStokers) {
  const auto with_state = [](const c10::IValue& state) {
    return archive_of([&](Archive& out) {
      out.write("stoker_epochs", c10::IValue(1));
      Archive nested;
      nested.write("stoker_loader_state", state);
      out.write("stoker_loader", nested);
    });
  };
  for (const c10::IValue& state : {c10::IValue("{}"), c10::IValue("{"), c10::IValue(3)}) {
    expect_refused(by_stoker(), with_state(state));
  }
}

TEST(DamagedState, OfAnotherSamplerOfTorchs) {
  auto other = torch::make_data_loader(stacked_numbers(samples),
                                       data::samplers::SequentialSampler(samples), 4);
  other->begin();
  auto loader = by_torch();
  const std::string message =
      message_of_error(ErrorCode::bad_state, [&] { load(*loader, saved(*other)); });
  EXPECT_NE(message.find("SequentialSampler"), std::string::npos);
  EXPECT_NE(message.find("RandomSampler"), std::string::npos);
}

TEST(DamagedState, OfAnotherDataset) {
  auto smaller = by_torch(20);
  smaller->begin();
  expect_refused(by_torch(), saved(*smaller));
  auto torchs = by_torch(40);
  auto stokers = by_stoker(40);
  torchs->begin();
  stokers->begin();
  expect_refused(by_torch(), saved(*torchs));
  auto loader = by_stoker();
  load(*loader, saved(*stokers));  // which is seen when the epoch begins
  message_of_error(ErrorCode::bad_state, [&] { loader->begin(); });
  message_of_error(ErrorCode::bad_state, [&] { loader->begin(); });
}

TEST(DamagedState, OfAnotherSeed) {
  auto saved_one = by_stoker(samples, 1);
  saved_one->begin();
  auto loader = by_stoker(samples, 2);
  load(*loader, saved(*saved_one));
  EXPECT_NE(message_of_error(ErrorCode::bad_state, [&] { loader->begin(); }).find("seed"),
            std::string::npos);
}

TEST(LoaderStateInAnArchive, IsReadAsItWasWritten) {
  LoaderState state;
  state.epoch = 3;
  state.position = 70;
  state.sampler = "random(size=100)";
  auto in = archive_from(archive_of([&](Archive& out) { out << state; }));
  LoaderState other;
  in >> other;
  EXPECT_EQ(other, state);
}

TEST(LoaderStateInAnArchive, IsRefusedWhereItIsDamaged) {
  for (const c10::IValue& value : {c10::IValue("{}"), c10::IValue(1), c10::IValue(at::ones({1}))}) {
    auto in =
        archive_from(archive_of([&](Archive& out) { out.write("stoker_loader_state", value); }));
    LoaderState state;
    message_of_error(ErrorCode::bad_state, [&] { in >> state; });
  }
  auto empty = archive_from(archive_of([](Archive&) {}));
  LoaderState state;
  message_of_error(ErrorCode::bad_state, [&] { empty >> state; });
}

}  // namespace
}  // namespace stoker::torch::testing
