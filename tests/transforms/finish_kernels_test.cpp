// Every element type, layout, width and instruction set against a plain scalar reference, to the
// bit.
#include "transforms/finish_kernels.hpp"

#include "transforms/narrow_float.hpp"
#include <stoker/core/aligned_buffer.hpp>
#include <stoker/core/random.hpp>
#include <stoker/transforms/finish.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/to.hpp>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace stoker {
namespace {

constexpr DType dtypes[] = {DType::uint8, DType::float16, DType::bfloat16, DType::float32};
constexpr Layout layouts[] = {Layout::NCHW, Layout::NHWC};
// torchvision.transforms.v2.functional.to_dtype multiplies by 1 / 255 in float32.
constexpr auto unit_scale = static_cast<float>(1.0 / 255.0);

/// The formula's constants, and where its result goes.
struct Case {
  DType dtype = DType::float32;
  Layout layout = Layout::NCHW;
  bool scale = true;
  std::optional<ChannelStatistics> statistics;
};

std::vector<Step> steps_of(const Case& what) {
  std::vector<Step> steps;
  if (!what.scale) steps.push_back(to(DType::float32, {}, false));
  if (what.statistics) steps.push_back(normalize(*what.statistics));
  steps.push_back(to(what.dtype, what.layout, what.scale));
  return steps;
}

Finish finish_of(const Case& what) { return Finish(steps_of(what)); }

/// An element as torch computes it, written to `out`.
void reference_element(const Case& what, std::size_t c, std::uint8_t pixel, std::byte* out) {
  if (what.dtype == DType::uint8) {
    *out = std::byte{pixel};
    return;
  }
  auto value = static_cast<float>(pixel);
  if (what.scale) value = value * unit_scale;
  if (what.statistics) {
    value = value - static_cast<float>(what.statistics->mean[c]);
    value = value / static_cast<float>(what.statistics->std[c]);
  }
  const auto wide = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t narrow =
      what.dtype == DType::float16 ? float16_bits(value) : bfloat16_bits(value);
  if (what.dtype == DType::float32) {
    std::memcpy(out, &wide, sizeof(wide));
  } else {
    std::memcpy(out, &narrow, sizeof(narrow));
  }
}

/// Pixels whose memory ends where the contract says, so that AddressSanitizer sees a byte too many.
class Pixels {
 public:
  Pixels(Size size, std::uint64_t seed)
      : size_(size),
        bytes_(3 * static_cast<std::size_t>(size.height * size.width) + Image::padding),
        data_(std::make_unique<std::uint8_t[]>(bytes_)) {
    Random random({.seed = seed}, 0);
    std::generate_n(data_.get(), bytes_, [&] { return static_cast<std::uint8_t>(random.bits()); });
  }
  ImageView view() const { return {data_.get(), size_, 3 * static_cast<std::size_t>(size_.width)}; }

 private:
  Size size_;
  std::size_t bytes_;
  std::unique_ptr<std::uint8_t[]> data_;
};

/// Where a sample goes, between guard bytes: `offset` bytes behind a cache line's beginning.
class Place {
 public:
  explicit Place(std::size_t bytes, std::size_t offset = 1) : offset_(offset), size_(bytes + 256) {
    buffer_.reserve(size_);
    std::memset(buffer_.data(), 0xA5, size_);
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(buffer_.data()) + 128 + offset_; }
  friend bool operator==(const Place& a, const Place& b) {
    return a.size_ == b.size_ && std::memcmp(a.buffer_.data(), b.buffer_.data(), a.size_) == 0;
  }

 private:
  AlignedBuffer buffer_;
  std::size_t offset_, size_;
};

std::size_t offset_of(const Case& what, Size size, std::size_t c, int y, int x) {
  const auto height = static_cast<std::size_t>(size.height),
             width = static_cast<std::size_t>(size.width);
  const std::size_t row = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
  const std::size_t element = what.layout == Layout::NCHW ? (c * height + row) * width + column
                                                          : (row * width + column) * 3 + c;
  return element * size_of(what.dtype);
}

void reference_row(const Case& what, const ImageView& image, int y, bool flip, std::byte* out) {
  for (int x = 0; x < image.size.width; ++x) {
    const int from = flip ? image.size.width - 1 - x : x;
    for (std::size_t c = 0; c < 3; ++c) {
      reference_element(what, c, image.row(y)[3 * static_cast<std::size_t>(from) + c],
                        out + offset_of(what, image.size, c, y, x));
    }
  }
}

/// Runs `body` once for each instruction set that this machine has and Highway compiles for.
template <class Body>
void for_each_target(Body body) {
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t left = hwy::SupportedTargets();
  while (left != 0) {
    const std::int64_t target = left & -left;
    left &= ~target;
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const DType dtype : dtypes) {
    for (const Layout layout : layouts) {
      cases.push_back({dtype, layout, true, {}});
      if (dtype == DType::uint8) continue;
      cases.push_back({dtype, layout, false, {}});
      cases.push_back({dtype, layout, true, imagenet_statistics});
    }
  }
  return cases;
}

// One row of three is written: the others, and all around the sample, must stay as they were.
void expect_writes_a_row(const Case& what, const Finish& finish, int width, bool flip) {
  const Size size{3, width};
  const Pixels pixels({1, width}, static_cast<std::uint64_t>(width));
  const ImageView row = pixels.view();
  const ImageView tall{row.data - row.stride, size, row.stride};  // row 1 is the only one read
  Place expected(finish.bytes(size)), written(finish.bytes(size));
  reference_row(what, tall, 1, flip, expected.data());
  finish.write_row(row.data, 1, size, flip, written.data());
  ASSERT_TRUE(written == expected) << finish.text() << " width " << width << " flip " << flip;
}

TEST(FinishKernels, GivesTheReferenceBitsAndTouchesNothingElseOnEveryTarget) {
  for_each_target([] {
    for (const Case& what : every_case()) {
      const Finish finish = finish_of(what);
      for (int width = 1; width <= 70; ++width) {
        expect_writes_a_row(what, finish, width, false);
        expect_writes_a_row(what, finish, width, true);
      }
      for (const int width : {127, 224, 299, 1024, 1025, 1535, 1537, 2600}) {
        expect_writes_a_row(what, finish, width, false);
        expect_writes_a_row(what, finish, width, true);
      }
    }
  });
}

TEST(FinishKernels, WritesWholeImagesFromRowsWithGaps) {
  const Case what{DType::float32, Layout::NCHW, true, imagenet_statistics};
  const Finish finish = finish_of(what);
  const Pixels pixels({20, 50}, 3);
  const ImageView window = pixels.view().window({4, 7, 9, 31});
  for (const bool flip : {false, true}) {
    Place expected(finish.bytes(window.size)), written(finish.bytes(window.size));
    for (int y = 0; y < 9; ++y) reference_row(what, window, y, flip, expected.data());
    finish.write(window, flip, written.data());
    EXPECT_TRUE(written == expected);
  }
}

// Large samples are written past the caches where their rows fill whole cache lines.
TEST(FinishKernels, GivesTheReferenceBitsForLargeSamplesOnEveryTarget) {
  const Size size{100, 192};
  const Pixels pixels(size, 4);
  for_each_target([&] {
    for (const Case& what : every_case()) {
      const Finish finish = finish_of(what);
      for (const std::size_t offset : {0, 8}) {
        for (const bool flip : {false, true}) {
          Place expected(finish.bytes(size), offset), written(finish.bytes(size), offset);
          for (int y = 0; y < size.height; ++y) {
            reference_row(what, pixels.view(), y, flip, expected.data());
          }
          finish.write(pixels.view(), flip, written.data());
          ASSERT_TRUE(written == expected)
              << finish.text() << " offset " << offset << " flip " << flip;
        }
      }
    }
  });
}

Image all_values() {
  Image image({1, 256});
  for (std::size_t i = 0; i < image.bytes(); ++i)
    image.data()[i] = static_cast<std::uint8_t>(i / 3);
  return image;
}

void expect_reference_bits(const Case& what) {
  const Image image = all_values();
  const Finish finish = finish_of(what);
  Place expected(finish.bytes(image.size())), written(finish.bytes(image.size()));
  reference_row(what, image.view(), 0, false, expected.data());
  finish.write(image.view(), false, written.data());
  EXPECT_TRUE(written == expected) << finish.text();
}

TEST(FinishKernels, GivesTheReferenceBitsForExtremeStatisticsOnEveryTarget) {
  const double huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::min();
  const double smallest = std::numeric_limits<float>::denorm_min();
  for_each_target([&] {
    for (const double mean : {0.0, -0.0, 1.0, 1e-30, -1e30, huge, smallest}) {
      for (const double std : {1.0, -1.0, 3.0, 1e-5, 1e-30, tiny, smallest, 1e30, huge, -0.225}) {
        for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
          const ChannelStatistics statistics{{mean, 0.456, mean}, {std, std, 0.225}};
          expect_reference_bits({dtype, Layout::NCHW, true, statistics});
          expect_reference_bits({dtype, Layout::NHWC, false, statistics});
        }
      }
    }
  });
}

TEST(FinishKernels, GivesTheReferenceBitsForRandomStatistics) {
  Random random({.seed = 5}, 0);
  for (int i = 0; i < 2000; ++i) {
    ChannelStatistics statistics;
    for (std::size_t c = 0; c < 3; ++c) {
      statistics.mean[c] = random.uniform(-1, 1);
      statistics.std[c] = std::exp(random.uniform(-5, 5));
    }
    expect_reference_bits({DType::float32, Layout::NCHW, true, statistics});
  }
}

// Otherwise the fast path could be lost without a test that fails.
TEST(FinishKernels, ComputesTheCommonCasesWhereTheMachineHasFusedMultiplyAdd) {
  constexpr std::int64_t with_fma = HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL | HWY_NEON;
  if ((hwy::SupportedTargets() & with_fma) == 0) {
    GTEST_SKIP() << "this machine has no fused multiply-add";
  }
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
    for (const Layout layout : layouts) {
      EXPECT_TRUE(finish_of({dtype, layout, true, {}}).computes());
      EXPECT_TRUE(finish_of({dtype, layout, true, imagenet_statistics}).computes());
    }
  }
}

}  // namespace
}  // namespace stoker
