#include "tests/decoders/jpeg_writer.hpp"
#include "tests/decoders/test_images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace stoker::test {
namespace {

constexpr DecodeOptions as_stored{.orient = false};

int between(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

/// Any window; every other one narrow or flat, where cropping is most fragile.
Rect random_window(Size size, std::mt19937& random) {
  const auto side = [&](int whole_side) {
    return between(random, 1, random() % 2 == 0 ? whole_side : std::min(whole_side, 9));
  };
  const int height = side(size.height);
  const int width = side(size.width);
  return {between(random, 0, size.height - height), between(random, 0, size.width - width), height,
          width};
}

/// Compares windows at every scale with the whole image at that scale.
void expect_windows_equal_whole(const File& file, int windows, std::uint32_t seed,
                                DecodeOptions options = as_stored) {
  Decoder decoder;
  Image full;
  Image part;
  std::mt19937 random(seed);
  for (const int denominator : {1, 2, 4, 8}) {
    SCOPED_TRACE(denominator);
    const Result<Size> size = decoder.open(file, options);
    ASSERT_TRUE(size) << size.error().message;
    ASSERT_TRUE(decode_whole(decoder, file, options, full, denominator));
    for (int i = 0; i < (denominator == 1 ? windows : windows / 3); ++i) {
      const Rect window = random_window(*size, random);
      options.strict = i % 4 == 0;
      const auto decoded = decode_window(decoder, file, window, options, part, denominator);
      ASSERT_TRUE(decoded) << decoded.error().message;
      ASSERT_TRUE(same_pixels(full, part, *decoded, scaled(window, denominator)));
    }
  }
}

/// Every range of `length` as (start, count).
std::vector<std::pair<int, int>> every_range(int length) {
  std::vector<std::pair<int, int>> ranges;
  for (int start = 0; start < length; ++start) {
    for (int count = 1; count <= length - start; ++count) ranges.emplace_back(start, count);
  }
  return ranges;
}

void expect_rows_and_columns_equal_whole(const File& file, Size size) {
  Decoder decoder;
  Image full;
  Image part;
  ASSERT_TRUE(decode_whole(decoder, file, as_stored, full));
  std::vector<Rect> windows;
  for (const auto& [left, width] : every_range(size.width)) {
    windows.push_back({left % size.height, left, 1, width});
  }
  for (const auto& [top, height] : every_range(size.height)) {
    windows.push_back({top, height % size.width, height, 1});
  }
  for (const Rect& window : windows) {
    const auto decoded = decode_window(decoder, file, window, as_stored, part);
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_TRUE(same_pixels(full, part, *decoded, window));
  }
}

std::vector<JpegRecipe> every_subsampling() {
  std::vector<JpegRecipe> recipes;
  for (const int horizontal : {1, 2, 3, 4}) {
    for (const int vertical : {1, 2, 3, 4}) {
      if (horizontal * vertical > 8) continue;  // a JPEG's MCU holds at most ten blocks
      JpegRecipe recipe;
      recipe.sampling[0] = {horizontal, vertical};
      recipes.push_back(recipe);
    }
  }
  for (const Sampling luma : {Sampling{1, 4}, Sampling{4, 1}, Sampling{2, 2}, Sampling{1, 2}}) {
    JpegRecipe unlike;  // the two colours have factors of their own
    unlike.sampling = {luma, {1, std::min(2, luma.vertical)}, {std::min(2, luma.horizontal), 1}};
    recipes.push_back(unlike);
  }
  JpegRecipe gray{.components = 1};
  recipes.push_back(gray);
  gray.sampling[0] = {2, 2};
  recipes.push_back(gray);
  JpegRecipe ycck{.components = 4};
  ycck.sampling = {{{2, 2}, {1, 1}, {1, 1}, {2, 2}}};
  recipes.push_back(ycck);
  return recipes;
}

std::vector<JpegRecipe> every_coding(JpegRecipe recipe) {
  std::vector<JpegRecipe> recipes{recipe};
  recipe.restart_rows = 1;
  recipes.push_back(recipe);
  recipe.progressive = true;
  recipes.push_back(recipe);
  recipe.progressive = false;
  recipe.interleaved = false;
  recipes.push_back(recipe);
  recipe.interleaved = true;
  recipe.arithmetic = true;
  recipes.push_back(recipe);
  return recipes;
}

/// The offset behind the `count`th scan of a progressive file.
std::size_t end_of_scan(const File& file, int count) {
  int starts = 0;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] != std::byte{0xFF} || file[i + 1] != std::byte{0xDA}) continue;
    if (++starts > count) return i;
  }
  return file.size();
}

File only_first_scans(File file, int count) {
  file.resize(end_of_scan(file, count));
  file.insert(file.end(), {std::byte{0xFF}, std::byte{0xD9}});
  return file;
}

TEST(DecoderWindow, EveryFileOfTheDataHasTheSamePixelsWhateverTheWindow) {
  std::uint32_t seed = 1;
  for (const Expected& expected : read_expected(data_folder())) {
    if (expected.digests.empty() || expected.name.starts_with("png_")) continue;
    SCOPED_TRACE(expected.name);
    expect_windows_equal_whole(read_file(expected.name), 40, seed);
    expect_windows_equal_whole(read_file(expected.name), 12, seed++, {.orient = true});
  }
}

TEST(DecoderWindow, EverySubsamplingInEveryCodingHasTheSamePixelsWhateverTheWindow) {
  std::mt19937 random(2);
  for (const JpegRecipe& subsampled : every_subsampling()) {
    for (JpegRecipe recipe : every_coding(subsampled)) {
      for (int variant = 0; variant < 2; ++variant) {
        recipe.size = {between(random, 1, 100), between(random, 1, 100)};
        recipe.seed = static_cast<std::uint32_t>(random());
        SCOPED_TRACE(recipe.text());
        expect_windows_equal_whole(write_jpeg(recipe), 40, recipe.seed);
      }
    }
  }
}

TEST(DecoderWindow, EveryRangeOfRowsAndEveryRangeOfColumnsEqualsTheWhole) {
  JpegRecipe recipe{.size = {35, 51}};
  for (const Sampling luma : {Sampling{1, 1}, Sampling{2, 1}, Sampling{2, 2}, Sampling{1, 4}}) {
    recipe.sampling[0] = luma;
    recipe.sampling[1] = {1, std::min(2, luma.vertical)};
    for (const bool progressive : {false, true}) {
      recipe.progressive = progressive;
      SCOPED_TRACE(recipe.text());
      expect_rows_and_columns_equal_whole(write_jpeg(recipe), recipe.size);
    }
  }
}

TEST(DecoderWindow, AProgressiveFileWithoutItsLastScansIsSmoothedTheSameWhateverTheWindow) {
  JpegRecipe recipe{.size = {70, 90}, .progressive = true};
  for (const Sampling luma : {Sampling{1, 1}, Sampling{2, 2}}) {
    recipe.sampling[0] = luma;
    const File file = write_jpeg(recipe);
    for (const int scans : {1, 2, 3, 5, 7}) {
      SCOPED_TRACE(scans);
      expect_windows_equal_whole(only_first_scans(file, scans), 60, 3);
    }
  }
}

TEST(DecoderWindow, DecodesLittleMoreThanTheWindow) {
  Decoder decoder;
  Image part;
  const Rect window{200, 170, 40, 50};
  const auto decoded = decode_window(decoder, read_file("var_420.jpg"), window, as_stored, part);
  ASSERT_TRUE(decoded);
  const Rect& covers = decoded->covers;
  EXPECT_EQ(covers.top, window.top);
  EXPECT_EQ(covers.height, window.height);
  EXPECT_GT(covers.left, window.left - 1 - 16);  // one pixel, then the next block of 16
  EXPECT_EQ(covers.right(), window.right() + 1);
  EXPECT_EQ(decoder.pixels_decoded(), static_cast<std::uint64_t>(covers.height * covers.width));
}

}  // namespace
}  // namespace stoker::test
