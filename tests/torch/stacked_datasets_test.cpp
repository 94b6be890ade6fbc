// Datasets whose samples are stacked, and workers share: the same batches as from LibTorch's
// loader.
#include "tests/torch/same_batches.hpp"

namespace stoker::torch::testing {
namespace {

namespace transforms = data::transforms;
using data::TensorExample;
using transforms::Stack;

TEST(StackedDatasets, PlainOnes) {
  expect_torchs_batches([] { return stacked_numbers(23); }, 4);
  expect_torchs_batches([] { return stacked_numbers(24); }, 4);
}

TEST(StackedDatasets, ChainsOfTransforms) {
  expect_torchs_batches(
      [] {
        return Numbers(23)
            .map(transforms::Normalize<>(0.5, 2.0))
            .map(transforms::TensorLambda<>([](const at::Tensor& t) { return t.flip(2); }))
            .map(transforms::Lambda<Example>([](const Example& example) -> Example {
              return {example.data.to(at::kHalf), example.target * 3};
            }))
            .map(Stack<>());
      },
      4);
}

TEST(StackedDatasets, TransformsThatChangeTheTypeOfExamples) {
  expect_torchs_batches(
      [] {
        return Numbers(23)
            .map(transforms::Lambda<Example, TensorExample>([](const Example& example) {
              return TensorExample(example.data * example.target);
            }))
            .map(Stack<TensorExample>());
      },
      5);
}

TEST(StackedDatasets, OfTensorsWithoutTarget) {
  expect_torchs_batches(
      [] {
        return stacked(23, [](std::size_t i) { return at::full({3}, static_cast<double>(i)); });
      },
      4);
}

TEST(StackedDatasets, RowsOfATensor) {
  ::torch::manual_seed(1);
  for (const at::Tensor& rows : {at::rand({23, 3, 2}), at::arange(23), at::rand({4, 23}).t(),
                                 at::rand({1, 3}).expand({23, 3}),
                                 at::rand({23, 2}, at::kComplexFloat).conj(), at::ones({23, 0})}) {
    SCOPED_TRACE(rows.sizes());
    expect_torchs_batches(
        [&] { return data::datasets::TensorDataset(rows).map(Stack<TensorExample>()); }, 4);
  }
}

TEST(StackedDatasets, RowsOfATensorThatATransformChanges) {
  const at::Tensor rows = at::rand({23, 3, 2});
  expect_torchs_batches(
      [&] {
        return data::datasets::TensorDataset(rows)
            .map(transforms::Lambda<TensorExample>(
                [](const TensorExample& example) { return TensorExample(example.data * 2); }))
            .map(Stack<TensorExample>());
      },
      4);
}

/// Changes what its base class holds.
struct Shifted : data::datasets::TensorDataset {
  using TensorDataset::TensorDataset;
  TensorExample get(std::size_t index) override {
    return {tensor[static_cast<std::int64_t>(index)] + 1};
  }
};

TEST(StackedDatasets, ClassesDerivedFromOthers) {
  const at::Tensor rows = at::rand({23, 3});
  const auto make = [&] { return data::datasets::map(Shifted(rows), Stack<TensorExample>()); };
  auto loader = torch::make_data_loader<data::samplers::SequentialSampler>(make(), 23);
  EXPECT_TRUE(at::equal(loader->begin()->data, rows + 1));
  expect_torchs_batches(make, 4);
}

TEST(StackedDatasets, SharedOnes) {
  expect_torchs_batches(
      [] {
        return data::datasets::make_shared_dataset<Numbers>(23)
            .map(transforms::Normalize<>(1.0, 3.0))
            .map(Stack<>());
      },
      4);
}

/// Calls what it maps by apply, whatever the class above it does.
struct Doubled : transforms::TensorLambda<> {
  Doubled() : TensorLambda([](const at::Tensor& tensor) { return tensor * 2; }) {}
};

TEST(StackedDatasets, TransformsDerivedFromOthers) {
  expect_torchs_batches([] { return Numbers(23).map(Doubled()).map(Stack<>()); }, 4);
}

}  // namespace
}  // namespace stoker::torch::testing
