#include "examples/torch/photos.hpp"

#include "examples/torch/drawn_images.hpp"
#include <stoker/stoker.hpp>
#include <stoker/torch/batches.hpp>

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace examples {
namespace {

using torch::Tensor;

constexpr std::int64_t photo_count = 120;

/// Of one colour each, which no other has, so that any part of a photo tells which one it is.
/// Labels do not follow from the number by a rule that a mistake could keep.
LabelledImages coloured_images() {
  const Tensor number = torch::arange(photo_count);
  const Tensor colours =
      torch::stack(
          {number % 5, torch::div(number, 5, "floor") % 5, torch::div(number, 25, "floor")}, 1)
          .mul(50)
          .add(28)
          .to(torch::kUInt8);
  return {colours.view({-1, 3, 1, 1}).expand({-1, 3, 32, 32}).contiguous(),
          (number * number + torch::div(number, 3, "floor")) % 10};
}

/// The colours, 0 to 255, that a pipeline's images have where they are all of one: [N, 3].
Tensor colours_of(const Tensor& images) {
  const auto& [mean, deviation] = stoker::imagenet_statistics;
  const auto of_channels = [](const auto& values) {
    return torch::tensor(std::vector<double>(values.begin(), values.end())).view({1, 3, 1, 1});
  };
  const Tensor pixels =
      (images.to(torch::kFloat64) * of_channels(deviation) + of_channels(mean)) * 255;
  const Tensor colours = pixels.mean({2, 3});
  EXPECT_LT((pixels - colours.view({-1, 3, 1, 1})).abs().max().item<double>(), 3);
  return colours;
}

/// Every image of the epochs is the photo that its index and its label are those of, and each photo
/// comes once an epoch.
void expect_images_with_their_labels(const stoker::Pipeline& pipeline) {
  const LabelledImages images = coloured_images();
  const Tensor colours = images.images.select(3, 0).select(2, 0).to(torch::kFloat64);
  const Photos photos = as_photos(images);
  stoker::Loader loader(*photos.source, pipeline,
                        {.batch_size = 7, .shuffle = true, .seed = 3, .num_workers = 3});
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<Tensor> seen;
    for (const auto& batch : stoker::torch::batches(loader, epoch, epoch == 2)) {
      const Tensor apart = colours_of(batch.data) - colours.index_select(0, batch.indices);
      EXPECT_LT(apart.abs().max().item<double>(), 6) << batch.indices;
      EXPECT_TRUE(batch.target.equal(images.labels.index_select(0, batch.indices)));
      seen.push_back(batch.indices);
    }
    EXPECT_TRUE(std::get<0>(torch::cat(seen).sort()).equal(torch::arange(photo_count)));
  }
}

TEST(Photos, KeepTheirLabelsInTraining) {
  expect_images_with_their_labels(training_pipeline(32, torch::kCPU));
}

TEST(Photos, KeepTheirLabelsInTests) {
  expect_images_with_their_labels(test_pipeline(32, torch::kCPU));
}

/// All batches of an epoch, of a rank or of one rank by itself.
std::vector<stoker::torch::Batch> batches_of(const Photos& photos, std::size_t batch_size,
                                             std::uint64_t rank, std::uint64_t world_size) {
  stoker::Loader loader(*photos.source, training_pipeline(32, torch::kCPU),
                        {.batch_size = batch_size,
                         .shuffle = true,
                         .seed = 1,
                         .num_workers = 2,
                         .drop_last = true,
                         .on_all_held = stoker::OnAllHeld::grow,
                         .rank = rank,
                         .world_size = world_size});
  std::vector<stoker::torch::Batch> result;
  for (auto& batch : stoker::torch::batches(loader, 1, /*last=*/true)) result.push_back(batch);
  return result;
}

TEST(Photos, OfAllRanksTogetherAreThoseOfOneRankToTheBit) {
  const Photos photos = as_photos(draw_shapes(110, 1));
  const auto alone = batches_of(photos, 16, 0, 1);
  const auto first = batches_of(photos, 8, 0, 2);
  const auto second = batches_of(photos, 8, 1, 2);
  ASSERT_EQ(alone.size(), 6U);
  ASSERT_EQ(first.size(), alone.size());
  ASSERT_EQ(second.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const auto both = [&](const auto& part) {
      return torch::stack({part(first[i]), part(second[i])}, 1).flatten(0, 1);
    };
    EXPECT_TRUE(both([](const auto& batch) { return batch.indices; }).equal(alone[i].indices));
    EXPECT_TRUE(both([](const auto& batch) { return batch.target; }).equal(alone[i].target));
    EXPECT_TRUE(both([](const auto& batch) { return batch.data; }).equal(alone[i].data));
  }
}

}  // namespace
}  // namespace examples
