// What `get` may return: every dtype, shape and memory layout arrives as torch::stack would give
// it.
#include "tests/sources/expect_error.hpp"
#include "tests/torch/datasets.hpp"
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace stoker::torch::testing {
namespace {

using data::samplers::SequentialSampler;
using Make = std::function<at::Tensor(std::size_t)>;

constexpr std::size_t samples = 7;

void expect_stacks(const Make& make) {
  for (const std::size_t workers : {0, 2}) {
    auto loader = torch::make_data_loader<SequentialSampler>(stacked(samples, make),
                                                             DataLoaderOptions(3).workers(workers));
    std::vector<at::Tensor> batches, expected;
    for (auto& batch : *loader) batches.push_back(batch.data);
    for (std::size_t i = 0; i < samples; ++i) expected.push_back(make(i));
    const at::Tensor all = at::cat(batches), stack = at::stack(expected);
    EXPECT_EQ(all.scalar_type(), stack.scalar_type());
    EXPECT_EQ(all.sizes(), stack.sizes());
    EXPECT_TRUE(at::equal(all, stack)) << all << stack;
    EXPECT_TRUE(batches[0].is_contiguous());
  }
}

at::Tensor matrix(std::size_t i) {
  return at::arange(12, at::kFloat).view({3, 4}) + static_cast<float>(100 * i);
}

class SampleDTypes : public ::testing::TestWithParam<c10::ScalarType> {};

TEST_P(SampleDTypes, AreKept) {
  expect_stacks([this](std::size_t i) { return matrix(i).remainder(97).to(GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(All, SampleDTypes,
                         ::testing::Values(at::kBool, at::kByte, at::kChar, at::kShort, at::kInt,
                                           at::kLong, at::kHalf, at::kBFloat16, at::kFloat,
                                           at::kDouble, at::kComplexFloat, at::kComplexDouble),
                         [](const auto& dtype) { return std::string(c10::toString(dtype.param)); });

TEST(SampleTensors, OfNoDimensions) {
  expect_stacks([](std::size_t i) { return at::scalar_tensor(static_cast<double>(i), at::kInt); });
}

TEST(SampleTensors, OfNoElements) {
  expect_stacks([](std::size_t) { return at::empty({3, 0, 2}); });
  expect_stacks([](std::size_t) { return at::empty({0}, at::kLong); });
}

TEST(SampleTensors, OfNoElementsBesideOthers) {
  auto loader = torch::make_data_loader<SequentialSampler>(
      stacked_pairs(samples,
                    [](std::size_t i) -> Example {
                      return {at::empty({0, 4}), matrix(i)};
                    }),
      3);
  const auto batch = loader->begin();
  EXPECT_EQ(batch->data.sizes(), (std::vector<std::int64_t>{3, 0, 4}));
  EXPECT_TRUE(at::equal(batch->target[2], matrix(2)));
}

TEST(SampleTensors, ThatAreNotContiguous) {
  expect_stacks([](std::size_t i) { return matrix(i).t(); });
  expect_stacks([](std::size_t i) { return matrix(i).slice(1, 0, 4, 2); });
  expect_stacks([](std::size_t i) { return matrix(i).slice(0, 1, 3).select(1, 2); });
  expect_stacks([](std::size_t i) {
    return matrix(i).view({1, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast)[0];
  });
}

TEST(SampleTensors, ThatRepeatOneElement) {
  expect_stacks([](std::size_t i) {
    return at::scalar_tensor(static_cast<double>(i)).expand({5, 6});
  });
  expect_stacks([](std::size_t i) { return matrix(i).select(0, 1).expand({3, 4}); });
}

TEST(SampleTensors, ThatAreViewsWithAnOffset) {
  expect_stacks([](std::size_t i) { return matrix(i)[1]; });
}

TEST(SampleTensors, OfDifferentLayoutsInOneBatch) {
  expect_stacks(
      [](std::size_t i) { return i % 2 == 0 ? matrix(i) : matrix(i).t().contiguous().t(); });
}

TEST(SampleTensors, ThatAreConjugatedOrNegatedLazily) {
  const auto complex = [](std::size_t i) { return at::complex(matrix(i), matrix(i + 50)); };
  ASSERT_TRUE(complex(0).conj().is_conj());
  expect_stacks([&](std::size_t i) { return complex(i).conj(); });
  ASSERT_TRUE(at::imag(complex(0).conj()).is_neg());
  expect_stacks([&](std::size_t i) { return at::imag(complex(i).conj()); });
}

TEST(SampleTensors, ThatAreLarge) {
  expect_stacks([](std::size_t i) { return at::full({1 << 20}, static_cast<double>(i)); });
}

/// A dataset that fills one tensor again and again, since batches hold copies.
struct Reusing : data::datasets::Dataset<Reusing, data::TensorExample> {
  data::TensorExample get(std::size_t index) override {
    buffer.fill_(static_cast<double>(index));
    return {buffer};
  }
  OptionalSize size() const override { return samples; }
  Reusing() = default;
  Reusing(const Reusing&) {}
  at::Tensor buffer = at::zeros({3});
};

TEST(SampleTensors, ThatTheDatasetFillsAgain) {
  for (const std::size_t workers : {0, 2}) {
    auto loader =
        torch::make_data_loader(Reusing().map(data::transforms::Stack<data::TensorExample>()),
                                stoker::torch::testing::data::samplers::RandomSampler(samples),
                                DataLoaderOptions(samples).workers(workers));
    for (int epoch = 0; epoch < 3; ++epoch) {
      auto values = numbers_in(loader->begin()->data.select(1, 2));
      std::ranges::sort(values);
      EXPECT_EQ(values, from_to(0, samples));
    }
  }
}

TEST(SampleTensors, MayBeZerosThatHaveNoMemory) {
  auto loader = torch::make_data_loader<SequentialSampler>(
      stacked(samples,
              [](std::size_t) {
                return at::_efficientzerotensor({2, 3}, at::kFloat);
              }),
      samples);
  EXPECT_TRUE(at::equal(loader->begin()->data, at::zeros({static_cast<int>(samples), 2, 3})));
}

/// Runs an epoch and returns the message of the error that comes.
std::string message_of(const Make& make, ErrorCode code = ErrorCode::unsupported) {
  auto loader = torch::make_data_loader<SequentialSampler>(stacked(samples, make), samples);
  return message_of_error(code, [&] { *loader->begin(); });
}

/// The first sample as `make` has it, or the fourth one.
std::vector<Make> first_or_fourth(const std::function<at::Tensor()>& make) {
  return {[make](std::size_t) { return make(); },
          [make](std::size_t i) { return i == 3 ? make() : matrix(i); }};
}

TEST(SampleTensors, ThatAreUndefinedAreRefused) {
  for (const Make& make : first_or_fourth([] { return at::Tensor(); })) {
    EXPECT_NE(message_of(make).find("is undefined"), std::string::npos);
  }
}

TEST(SampleTensors, OnAnotherDeviceAreRefused) {
  const auto options = at::TensorOptions().device(at::kMeta);
  for (const Make& make : first_or_fourth([&] { return at::empty({3, 4}, options); })) {
    EXPECT_NE(message_of(make).find("lies on meta"), std::string::npos);
    EXPECT_NE(message_of(make).find("return CPU tensors and give the loader a device"),
              std::string::npos);
  }
}

TEST(SampleTensors, ThatAreNotDenseAreRefused) {
  const auto quantized = [] { return at::quantize_per_tensor(matrix(0), 0.1, 0, at::kQInt8); };
  const auto sparse = [] { return matrix(0).to_sparse(); };
  for (const std::function<at::Tensor()>& make :
       {std::function(sparse), std::function(quantized)}) {
    for (const Make& at : first_or_fourth(make)) {
      EXPECT_NE(message_of(at).find("return a dense tensor"), std::string::npos);
    }
  }
}

TEST(SampleTensors, OfAnotherShapeAreRefusedWithBothNamed) {
  for (const std::size_t workers : {0, 2}) {
    auto loader = torch::make_data_loader<SequentialSampler>(
        stacked(samples, [](std::size_t i) { return i == 4 ? matrix(i).t() : matrix(i); }),
        DataLoaderOptions(3).workers(workers));
    auto it = loader->begin();
    const std::string message = message_of_error(ErrorCode::shape_mismatch, [&] { ++it; });
    EXPECT_NE(message.find("data of sample 4 is Float [4, 3], of sample 0 it is Float [3, 4]"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("collate function instead of Stack"), std::string::npos);
  }
}

TEST(SampleTensors, OfTheFirstSampleThatChangedAreRefused) {
  int epoch = 0;
  auto loader = torch::make_data_loader<SequentialSampler>(
      stacked(samples, [&epoch](std::size_t i) { return epoch == 1 ? matrix(i).t() : matrix(i); }),
      3);
  *loader->begin();
  epoch = 1;
  const std::string message =
      message_of_error(ErrorCode::shape_mismatch, [&] { *loader->begin(); });
  EXPECT_NE(message.find("sample 0 is Float [4, 3], when it was first read it was Float [3, 4]"),
            std::string::npos)
      << message;
}

TEST(SampleTensors, OfAnotherDtypeAreRefusedWithBothNamed) {
  auto loader = torch::make_data_loader<SequentialSampler>(
      stacked_pairs(samples,
                    [](std::size_t i) -> Example {
                      return {matrix(i), at::scalar_tensor(1, i == 2 ? at::kInt : at::kLong)};
                    }),
      samples);
  const std::string message =
      message_of_error(ErrorCode::shape_mismatch, [&] { *loader->begin(); });
  EXPECT_NE(message.find("target of sample 2 is Int [], of sample 0 it is Long []"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace stoker::torch::testing
