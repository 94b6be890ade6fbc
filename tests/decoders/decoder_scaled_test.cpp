#include "tests/decoders/test_images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace stoker::test {
namespace {

constexpr DecodeOptions scaled_too{.orient = false, .scaled = true};

/// Average of the pixels of `full` that pixel (y, x) of the image at 1/denominator stands for.
double box_average(const Image& full, int denominator, int y, int x, int channel) {
  const Size size = full.size();
  double sum = 0;
  int count = 0;
  for (int row = y * denominator; row < std::min((y + 1) * denominator, size.height); ++row) {
    for (int column = x * denominator; column < std::min((x + 1) * denominator, size.width);
         ++column) {
      sum += full.row(row)[column * Image::channels + channel];
      ++count;
    }
  }
  return sum / count;
}

double mean_difference_from_box(const Image& full, const Image& small, int denominator) {
  double sum = 0;
  const Size size = small.size();
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int channel = 0; channel < Image::channels; ++channel) {
        sum += std::abs(box_average(full, denominator, y, x, channel) -
                        small.row(y)[x * Image::channels + channel]);
      }
    }
  }
  return sum / static_cast<double>(small.bytes());
}

void expect_close_to_box(const std::string& name, double bound) {
  Decoder decoder;
  Image full;
  Image small;
  const File file = read_file(name);
  ASSERT_TRUE(decode_whole(decoder, file, scaled_too, full));
  for (const int denominator : {2, 4, 8}) {
    SCOPED_TRACE(name + " at 1/" + std::to_string(denominator));
    ASSERT_TRUE(decode_whole(decoder, file, scaled_too, small, denominator));
    const Rect all = scaled(whole(full.size()), denominator);
    ASSERT_EQ(small.size(), all.size());
    EXPECT_LE(mean_difference_from_box(full, small, denominator), bound);
  }
}

TEST(DecoderScaled, StaysWithinItsBoundOfTheBoxAverageForTheUsualSubsamplings) {
  for (const char* name : {"var_444.jpg", "var_420.jpg", "var_progressive.jpg", "var_q5.jpg",
                           "var_q100.jpg", "var_cmyk_adobe.jpg", "var_16bit_qtables.jpg"}) {
    expect_close_to_box(name, 3.0);
  }
}

TEST(DecoderScaled, StaysWithinItsWiderBoundForRareSubsamplings) {
  for (const char* name : {"var_411.jpg", "var_440.jpg"}) expect_close_to_box(name, 6.0);
}

TEST(DecoderScaled, ChoosesTheLargestScaleThatKeepsTheTarget) {
  Decoder decoder;
  const File file = read_file("var_420.jpg");  // 480 x 360
  ASSERT_TRUE(decoder.open(file, scaled_too));
  const auto choose = [&](Size crop, Size target) {
    return decoder.denominator_for({0, 0, crop.height, crop.width}, target);
  };
  EXPECT_EQ(choose({360, 480}, {45, 60}), 8);
  EXPECT_EQ(choose({360, 480}, {46, 60}), 4);
  EXPECT_EQ(choose({360, 480}, {45, 61}), 4);
  EXPECT_EQ(choose({359, 479}, {90, 119}), 2);
  EXPECT_EQ(choose({200, 200}, {100, 100}), 2);
  EXPECT_EQ(choose({199, 300}, {100, 100}), 1);
  EXPECT_EQ(choose({100, 100}, {224, 224}), 1);
}

TEST(DecoderScaled, IsOffUnlessAskedFor) {
  Decoder decoder;
  ASSERT_TRUE(decoder.open(read_file("var_420.jpg"), {}));
  EXPECT_EQ(decoder.denominator_for({0, 0, 360, 480}, {10, 10}), 1);
}

TEST(DecoderScaled, CoversEveryPixelThatTheWindowTouches) {
  Decoder decoder;
  Image part;
  const auto decoded =
      decode_window(decoder, read_file("var_420.jpg"), {33, 77, 98, 201}, scaled_too, part, 4);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->scaled, (Size{90, 120}));
  EXPECT_LE(decoded->covers.top, 33 / 4);
  EXPECT_LE(decoded->covers.left, 77 / 4);
  EXPECT_GE(decoded->covers.bottom(), (33 + 98 + 3) / 4);
  EXPECT_GE(decoded->covers.right(), (77 + 201 + 3) / 4);
}

}  // namespace
}  // namespace stoker::test
