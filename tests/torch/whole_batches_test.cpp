// Datasets and transforms that make batches as a whole: they are asked as LibTorch asks them.
#include "tests/torch/same_batches.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace stoker::torch::testing {
namespace {

namespace transforms = data::transforms;
using Indices = c10::ArrayRef<std::size_t>;

/// Has a get_batch of its own beside `get`: targets say how many samples were asked for together.
struct Together : data::datasets::Dataset<Together> {
  explicit Together(std::size_t size) : count(size) {}
  Example get(std::size_t index) override { return Numbers::sample(index); }
  std::vector<Example> get_batch(Indices indices) override {
    std::vector<Example> examples;
    for (const std::size_t index : indices) {
      examples.push_back(get(index));
      examples.back().target =
          at::scalar_tensor(static_cast<std::int64_t>(indices.size()), at::kLong);
    }
    return examples;
  }
  OptionalSize size() const override { return count; }
  std::size_t count;
};

TEST(WholeBatches, OfADatasetsOwnGetBatch) {
  const auto make = [] { return Together(23).map(transforms::Stack<>()); };
  expect_torchs_batches(make, 4);
  auto loader = torch::make_data_loader<data::samplers::SequentialSampler>(
      make(), DataLoaderOptions(4).workers(2));
  EXPECT_EQ(loader->begin()->target[0].item<std::int64_t>(), 4);
}

/// Has nothing but get_batch, and batches of a type that nobody else knows.
struct Sum {
  std::int64_t value = 0;
};
void describe(std::ostream& out, const Sum& sum) { out << sum.value; }

struct Sums : data::datasets::BatchDataset<Sums, Sum> {
  explicit Sums(std::size_t size) : count(size) {}
  Sum get_batch(Indices indices) override {
    Sum sum;
    for (const std::size_t index : indices) sum.value += static_cast<std::int64_t>(index);
    return sum;
  }
  OptionalSize size() const override { return count; }
  std::size_t count;
};

TEST(WholeBatches, OfTypesOfOnesOwn) {
  expect_torchs_batches([] { return Sums(23); }, 4);
}

TEST(WholeBatches, ThatAreNotStacked) {
  expect_torchs_batches([] { return Numbers(23); }, 4);
}

/// Samples of different sizes: sample i has i % 5 + 1 elements.
auto of_all_sizes(std::size_t size) {
  return Made<Example>(size, [](std::size_t index) -> Example {
    const auto i = static_cast<std::int64_t>(index);
    return {at::full({i % 5 + 1}, static_cast<double>(i)), at::scalar_tensor(i, at::kLong)};
  });
}

Example padded(std::vector<Example> examples) {
  std::int64_t longest = 0;
  for (const Example& example : examples) longest = std::max(longest, example.data.size(0));
  std::vector<at::Tensor> rows, targets;
  for (const Example& example : examples) {
    rows.push_back(at::constant_pad_nd(example.data, {0, longest - example.data.size(0)}));
    targets.push_back(example.target);
  }
  return {at::stack(rows), at::stack(targets)};
}

TEST(WholeBatches, CollatedFromSamplesOfDifferentSizes) {
  expect_torchs_batches([] { return of_all_sizes(23).map(transforms::Collate<Example>(padded)); },
                        4);
}

TEST(WholeBatches, OfABatchLambda) {
  expect_torchs_batches(
      [] {
        return of_all_sizes(23)
            .map(transforms::BatchLambda<std::vector<Example>>([](std::vector<Example> examples) {
              std::ranges::reverse(examples);
              return examples;
            }))
            .map(transforms::Collate<Example>(padded));
      },
      4);
}

/// A transform of samples that looks at the whole batch nevertheless.
struct Centred : transforms::Transform<Example, Example> {
  Example apply(Example example) override { return example; }
  std::vector<Example> apply_batch(std::vector<Example> examples) override {
    at::Tensor sum = at::zeros({}, at::kLong);
    for (const Example& example : examples) sum = sum + example.target;
    for (Example& example : examples) example.target = example.target * 100 - sum;
    return examples;
  }
};

TEST(WholeBatches, OfATransformsOwnApplyBatch) {
  expect_torchs_batches([] { return Numbers(23).map(Centred()).map(transforms::Stack<>()); }, 4);
}

TEST(WholeBatches, OfASharedDatasetThatNeedsNoCopy) {
  struct Uncopied : data::datasets::BatchDataset<Uncopied, std::vector<at::Tensor>> {
    Uncopied() = default;
    Uncopied(const Uncopied&) = delete;
    std::vector<at::Tensor> get_batch(Indices indices) override {
      std::vector<at::Tensor> tensors;
      for (const std::size_t index : indices) tensors.push_back(Numbers::sample(index).data);
      return tensors;
    }
    OptionalSize size() const override { return 23; }
  };
  expect_torchs_batches([] { return data::datasets::make_shared_dataset<Uncopied>(); }, 4);
}

/// A stream, asked for so many samples: it makes the same of each number, for it is asked by
/// several workers.
struct Rows : data::datasets::StreamDataset<Rows, at::Tensor> {
  at::Tensor get_batch(std::size_t batch_size) override {
    return at::arange(static_cast<std::int64_t>(batch_size));
  }
  OptionalSize size() const override { return {}; }
};

TEST(WholeBatches, OfAStreamAreAskedForBySize) {
  expect_torchs_batches([] { return Rows(); }, data::samplers::StreamSampler(23), 4);
}

/// Requests of one's own kind.
struct Window : data::samplers::CustomBatchRequest {
  std::int64_t first = 0, last = 0;
  std::size_t size() const override { return static_cast<std::size_t>(last - first); }
};
struct WindowSampler : data::samplers::Sampler<Window> {
  void reset(OptionalSize /*new_size*/ = {}) override { next_ = 0; }
  decltype(std::declval<data::samplers::Sampler<Window>&>().next(1)) next(
      std::size_t batch_size) override {
    if (next_ == 23) return {};
    Window window;
    window.first = next_;
    window.last = next_ = std::min<std::int64_t>(23, next_ + static_cast<std::int64_t>(batch_size));
    return window;
  }
  void save(::torch::serialize::OutputArchive&) const override {}
  void load(::torch::serialize::InputArchive&) override {}
  std::int64_t next_ = 0;
};
struct Windows : data::datasets::BatchDataset<Windows, at::Tensor, Window> {
  at::Tensor get_batch(Window window) override { return at::arange(window.first, window.last); }
  OptionalSize size() const override { return {}; }
};

TEST(WholeBatches, AreAskedForWithRequestsOfOnesOwn) {
  expect_torchs_batches([] { return Windows(); }, WindowSampler(), 4);
}

}  // namespace
}  // namespace stoker::torch::testing
