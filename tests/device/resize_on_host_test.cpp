#include "src/device/resize_on_host.hpp"

#include "tests/device/random_resizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace stoker::testing {
namespace {

/// Where a batch's values lie, one by one.
class Layout {
 public:
  explicit Layout(const ResizeShape& shape) : shape_(shape) {}
  std::size_t place(std::size_t image, std::size_t c, std::size_t y, std::size_t x) const {
    const std::size_t height = shape_.height, width = shape_.width;
    const std::size_t within =
        shape_.planar ? (c * height + y) * width + x : (y * width + x) * 3 + c;
    return (image * 3 * height * width + within) * shape_.element_bytes;
  }

 private:
  ResizeShape shape_;
};

/// The batch as the CPU's resampler makes it.
std::vector<std::byte> resampled(const ResizeCase& batch) {
  std::vector<std::byte> out(batch.out_bytes());
  const Layout layout(batch.shape);
  const std::size_t width = batch.shape.width, bytes = batch.shape.element_bytes;
  std::vector<std::uint8_t> pixels = batch.pixels;
  pixels.resize(pixels.size() + Image::padding);
  Resampler resampler;
  for (std::size_t i = 0; i < batch.cases.size(); ++i) {
    const CropCase& crop = batch.cases[i];
    if (crop.stride == 0) continue;
    const ImageView held{pixels.data() + crop.offset, crop.held.size(), crop.stride};
    resampler.run(held, crop.held.top, crop.held.left, crop.source, crop.request,
                  [&](int y, const std::uint8_t* row) {
                    for (std::size_t at = 0; at < 3 * width; ++at) {
                      const std::size_t x = crop.flip ? width - 1 - at / 3 : at / 3, c = at % 3;
                      std::memcpy(&out[layout.place(i, c, static_cast<std::size_t>(y), x)],
                                  &batch.tables[(c * 256 + row[at]) * bytes], bytes);
                    }
                  });
  }
  return out;
}

std::vector<std::byte> resized_on_host(const ResizeCase& batch) {
  std::vector<std::byte> out(batch.out_bytes(), std::byte{0xEE});
  resize_on_host(batch.task(out.data()));
  return out;
}

TEST(ResizeOnHost, GivesTheResamplersBitsForEverySizeBoxAndWindow) {
  RandomResizes random(11);
  for (int round = 0; round < 300; ++round) {
    const auto side = [&] { return static_cast<std::uint32_t>(1 + (round * 7 + 3) % 19); };
    const ResizeShape shape{3, side(), static_cast<std::uint32_t>(1 + round % 17)};
    const ResizeCase batch = random.next(shape);
    ASSERT_EQ(resized_on_host(batch), resampled(batch)) << "round " << round;
  }
}

TEST(ResizeOnHost, GivesTheResamplersBitsForEveryElementAndLayout) {
  RandomResizes random(12);
  for (const std::uint32_t bytes : {1U, 2U, 4U}) {
    for (const bool planar : {true, false}) {
      for (int round = 0; round < 10; ++round) {
        const ResizeCase batch = random.next({4, 9, 13, bytes, planar});
        ASSERT_EQ(resized_on_host(batch), resampled(batch)) << bytes << " bytes, planar " << planar;
      }
    }
  }
}

TEST(ResizeOnHost, FillsWithZeroWhatHasNoPixels) {
  RandomResizes random(13);
  for (const std::uint32_t bytes : {1U, 2U, 4U}) {
    ResizeCase batch = random.next({2, 5, 6, bytes});
    batch.crops = {ResizeCrop{}, ResizeCrop{}};
    EXPECT_EQ(resized_on_host(batch), std::vector<std::byte>(batch.out_bytes()));
  }
}

TEST(ResizeOnHost, LeavesABatchOfNoneAlone) {
  const ResizeCase batch = RandomResizes(14).next({0, 5, 6});
  EXPECT_TRUE(resized_on_host(batch).empty());
}

TEST(RandomResizes, ReachTheMostTapsAndHaveEveryKindOfCrop) {
  RandomResizes random(11);
  int most_taps = 0, empty = 0, flipped = 0, moved = 0, moved_on_one_axis = 0;
  for (int round = 0; round < 100; ++round) {
    for (const CropCase& made : random.next({3, 5, 7}).cases) {
      const ResizeCrop crop = made.crop();
      empty += made.stride == 0;
      if (made.stride == 0) continue;
      most_taps = std::max(most_taps, made.taps());
      const int axes =
          (crop.across.filter == ResizeFilter::none) + (crop.down.filter == ResizeFilter::none);
      moved += axes == 2;
      moved_on_one_axis += axes == 1;
      flipped += made.flip;
    }
  }
  EXPECT_EQ(most_taps, ResizeTask::max_taps);
  for (const int seen : {empty, flipped, moved, moved_on_one_axis}) EXPECT_GT(seen, 5);
}

}  // namespace
}  // namespace stoker::testing
