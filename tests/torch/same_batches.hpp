#pragma once

#include "tests/torch/datasets.hpp"
#include <stoker/torch/make_data_loader.hpp>

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

/// Whether stoker's loader gives what LibTorch's does, whatever the options.
namespace stoker::torch::testing {

inline void describe(std::ostream& out, const at::Tensor& tensor) {
  out << tensor.scalar_type() << tensor.sizes() << tensor.flatten() << '\n';
}
template <class Data, class Target>
void describe(std::ostream& out, const data::Example<Data, Target>& example) {
  describe(out, example.data);
  if constexpr (!std::is_same_v<Target, data::example::NoTarget>) describe(out, example.target);
}
template <class T>
void describe(std::ostream& out, const std::vector<T>& values) {
  out << values.size() << " of\n";
  for (const T& value : values) describe(out, value);
}

/// Everything in a batch, as text.
template <class Batch>
std::string description_of(const Batch& batch) {
  std::ostringstream out;
  describe(out, batch);
  return out.str();
}

/// The first `most` batches of an epoch.
template <class Loader>
std::vector<std::string> epoch_of(Loader& loader, std::size_t most = SIZE_MAX) {
  std::vector<std::string> batches;
  for (auto& batch : loader) {
    batches.push_back(description_of(batch));
    if (batches.size() == most) break;
  }
  return batches;
}

inline std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

/// LibTorch's and stoker's loader, each made by a function of options, must have the same epochs;
/// stoker's also behind one that is left early.
template <class Theirs, class Ours>
void expect_same_epochs(const Theirs& make_theirs, const Ours& make_ours, std::size_t batch_size) {
  for (const bool drop_last : {false, true}) {
    const auto options = data::DataLoaderOptions(batch_size).drop_last(drop_last);
    ::torch::manual_seed(5);
    auto theirs = make_theirs(options);
    std::vector<std::vector<std::string>> expected;
    for (int epoch = 0; epoch < 4; ++epoch) expected.push_back(epoch_of(*theirs));
    ASSERT_FALSE(expected[0].empty());
    for (const std::size_t workers : {0, 1, 3}) {
      SCOPED_TRACE("workers " + std::to_string(workers) + ", drop_last " +
                   std::to_string(drop_last));
      ::torch::manual_seed(5);
      auto ours = make_ours(DataLoaderOptions(options).workers(workers));
      EXPECT_EQ(epoch_of(*ours), expected[0]);
      EXPECT_EQ(epoch_of(*ours, 1)[0], expected[1][0]);  // left early
      EXPECT_EQ(epoch_of(*ours), expected[2]);
      EXPECT_EQ(epoch_of(*ours), expected[3]);

      ::torch::manual_seed(5);
      auto unordered =
          make_ours(DataLoaderOptions(options).workers(workers).enforce_ordering(false));
      for (const auto& epoch : expected) EXPECT_EQ(sorted(epoch_of(*unordered)), sorted(epoch));
    }
  }
}

/// The same for a dataset, which `make` makes anew each time, and copies of a sampler.
template <class MakeDataset, class Sampler>
void expect_torchs_batches(const MakeDataset& make, const Sampler& sampler,
                           std::size_t batch_size) {
  expect_same_epochs(
      [&](const data::DataLoaderOptions& options) {
        return data::make_data_loader(make(), sampler, options);
      },
      [&](const DataLoaderOptions& options) {
        return torch::make_data_loader(make(), sampler, options);
      },
      batch_size);
}

/// The same in sequential and in random order.
template <class MakeDataset>
void expect_torchs_batches(const MakeDataset& make, std::size_t batch_size) {
  const std::size_t size = *make().size();
  expect_torchs_batches(make, data::samplers::SequentialSampler(size), batch_size);
  expect_torchs_batches(make, data::samplers::RandomSampler(size), batch_size);
}

}  // namespace stoker::torch::testing
