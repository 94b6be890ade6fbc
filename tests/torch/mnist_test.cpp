#include "tests/sources/temporary_folder.hpp"
#include "tests/torch/same_batches.hpp"

#include <string>

namespace stoker::torch::testing {
namespace {

constexpr std::size_t images = 10'000;  // LibTorch's class takes no other number

std::string big_endian(std::uint32_t number) {
  return {static_cast<char>(number >> 24), static_cast<char>(number >> 16),
          static_cast<char>(number >> 8), static_cast<char>(number)};
}

/// A test set in MNIST's files: pixels that differ, labels 0 to 9.
void write_mnist(const TemporaryFolder& folder) {
  std::string pixels = big_endian(2051) + big_endian(images) + big_endian(28) + big_endian(28);
  std::string labels = big_endian(2049) + big_endian(images);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < images * 28 * 28; ++i) {
    state = state * 1'664'525 + 1'013'904'223;
    pixels.push_back(static_cast<char>(state >> 24));
  }
  for (std::size_t i = 0; i < images; ++i) labels.push_back(static_cast<char>(i * 7 % 10));
  folder.write("t10k-images-idx3-ubyte", pixels);
  folder.write("t10k-labels-idx1-ubyte", labels);
}

TEST(Mnist, GivesTorchsBatches) {
  const TemporaryFolder folder;
  write_mnist(folder);
  const data::datasets::MNIST mnist(folder.path().string(), data::datasets::MNIST::Mode::kTest);
  const auto expect_same = [](const auto& dataset) {
    auto theirs = data::make_data_loader<data::samplers::SequentialSampler>(
        dataset, data::DataLoaderOptions(64));
    auto ours = torch::make_data_loader<data::samplers::SequentialSampler>(
        dataset, DataLoaderOptions(64).workers(2));
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto batch = ours->begin();
      for (auto& expected : *theirs) {
        ASSERT_NE(batch, ours->end());
        ASSERT_TRUE(at::equal(batch->data, expected.data));
        ASSERT_TRUE(at::equal(batch->target, expected.target));
        ++batch;
      }
      EXPECT_EQ(batch, ours->end());
    }
  };
  expect_same(data::datasets::map(mnist, data::transforms::Stack<>()));
  expect_same(data::datasets::map(mnist, data::transforms::Normalize<>(0.1307, 0.3081))
                  .map(data::transforms::Stack<>()));
}

}  // namespace
}  // namespace stoker::torch::testing
