#include "cli/synth_images.hpp"

#include "cli/photo_painter.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace stoker::cli {
namespace {

/// What libjpeg says of a file, all of it decoded.
struct Seen {
  int width = 0;
  int height = 0;
  int channels = 0;
  int chroma_step_x = 1;
  int chroma_step_y = 1;
  bool progressive = false;
  long warnings = 0;
  std::vector<int> nonzero;          // coefficients besides the mean, a luma block
  std::array<double, 64> present{};  // share of luma blocks in which a coefficient is not zero
};

void read_coefficients(jpeg_decompress_struct& info, Seen& seen) {
  jvirt_barray_ptr luma = jpeg_read_coefficients(&info)[0];
  const jpeg_component_info& component = info.comp_info[0];
  for (JDIMENSION y = 0; y < component.height_in_blocks; ++y) {
    JBLOCKARRAY rows =
        info.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&info), luma, y, 1, FALSE);
    for (JDIMENSION x = 0; x < component.width_in_blocks; ++x) {
      int count = 0;
      for (std::size_t i = 1; i < 64; ++i) {
        const bool present = rows[0][x][i] != 0;
        seen.present[i] += present;
        count += present;
      }
      seen.nonzero.push_back(count);
    }
  }
  for (double& share : seen.present) share /= static_cast<double>(seen.nonzero.size());
}

// libjpeg's own handler ends the process for what is no JPEG at all, which fails the test too.
Seen look_at(const std::vector<std::byte>& file) {
  Seen seen;
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  seen.width = static_cast<int>(info.image_width);
  seen.height = static_cast<int>(info.image_height);
  seen.channels = info.num_components;
  seen.chroma_step_x = info.comp_info[0].h_samp_factor;
  seen.chroma_step_y = info.comp_info[0].v_samp_factor;
  seen.progressive = info.progressive_mode != 0;
  read_coefficients(info, seen);
  jpeg_finish_decompress(&info);
  seen.warnings = errors.num_warnings;
  jpeg_destroy_decompress(&info);
  return seen;
}

/// Returns the first photo of a seed that `wanted` takes.
template <class Wanted>
std::uint64_t find(const PhotoMaker& maker, Wanted wanted) {
  std::uint64_t index = 0;
  while (!wanted(maker.spec(index))) ++index;
  return index;
}

struct Share {
  double share = 0;
  void count(bool holds, int of) { share += holds ? 1.0 / of : 0; }
};

TEST(PhotoSpecs, HaveImageNetsSizesAndFiles) {
  constexpr int count = 20'000;
  const PhotoMaker maker(1);
  double width = 0;
  double height = 0;
  double bytes = 0;
  Share long_edge_500, landscape, full_chroma, quarter_chroma, grayscale, progressive, cmyk;
  for (std::uint64_t i = 0; i < count; ++i) {
    const PhotoSpec spec = maker.spec(i);
    width += 1.0 * spec.width / count;
    height += 1.0 * spec.height / count;
    bytes += spec.bits_per_pixel * spec.width * spec.height / 8 / count;
    long_edge_500.count(std::max(spec.width, spec.height) == 500, count);
    landscape.count(spec.width > spec.height, count);
    full_chroma.count(spec.chroma_step_x == 1 && spec.chroma_step_y == 1, count);
    quarter_chroma.count(spec.chroma_step_x == 2 && spec.chroma_step_y == 2, count);
    grayscale.count(spec.colors == PhotoColors::grayscale, count);
    cmyk.count(spec.colors == PhotoColors::cmyk, count);
    progressive.count(spec.progressive, count);
  }
  EXPECT_NEAR(width, 467, 10);
  EXPECT_NEAR(height, 380, 10);
  EXPECT_NEAR(bytes, 108'000, 5'000);
  EXPECT_NEAR(long_edge_500.share, 0.73, 0.02);
  EXPECT_NEAR(landscape.share, 0.78, 0.02);
  EXPECT_NEAR(full_chroma.share, 0.74, 0.02);
  EXPECT_NEAR(quarter_chroma.share, 0.255, 0.02);
  EXPECT_NEAR(grayscale.share, 0.018, 0.004);
  EXPECT_NEAR(progressive.share, 0.005, 0.002);
  EXPECT_NEAR(cmyk.share, 0.001, 0.0008);
}

TEST(PhotoMaker, MakesFilesAsSpecified) {
  const PhotoMaker maker(2);
  int far = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    SCOPED_TRACE("photo " + std::to_string(i));
    const PhotoSpec spec = maker.spec(i);
    const std::vector<std::byte> file = maker.make(i);
    const Seen seen = look_at(file);
    EXPECT_EQ(seen.width, spec.width);
    EXPECT_EQ(seen.height, spec.height);
    EXPECT_EQ(seen.warnings, 0);
    if (spec.colors == PhotoColors::ycbcr) {
      EXPECT_EQ(seen.chroma_step_x, spec.chroma_step_x);
      EXPECT_EQ(seen.chroma_step_y, spec.chroma_step_y);
    }
    const double bits = 8.0 * static_cast<double>(file.size()) / spec.width / spec.height;
    far += bits < 0.8 * spec.bits_per_pixel || bits > 1.25 * spec.bits_per_pixel;
  }
  EXPECT_LE(far, 2);
}

TEST(PhotoMaker, MakesTheRareKindsToo) {
  const PhotoMaker maker(3);
  const auto of = [&](auto wanted) { return look_at(maker.make(find(maker, wanted))); };
  EXPECT_EQ(of([](const PhotoSpec& s) { return s.colors == PhotoColors::grayscale; }).channels, 1);
  EXPECT_EQ(of([](const PhotoSpec& s) { return s.colors == PhotoColors::cmyk; }).channels, 4);
  EXPECT_TRUE(of([](const PhotoSpec& s) { return s.progressive; }).progressive);
  EXPECT_EQ(of([](const PhotoSpec& s) { return s.chroma_step_y == 2; }).chroma_step_y, 2);
}

// Bounds around what 200 photos of ImageNet's training set have: 30 coefficients a block, 94 % of
// the lowest and 17 % of the highest frequency, 4 % of the blocks nearly flat and 9 % full.
TEST(PhotoMaker, MakesTexturesLikeAPhotosAndNotFlatNoise) {
  const PhotoMaker maker(4);
  std::vector<int> nonzero;
  double lowest = 0;
  double highest = 0;
  constexpr int photos = 30;
  for (std::uint64_t i = 0; i < photos; ++i) {
    const Seen seen = look_at(maker.make(i));
    nonzero.insert(nonzero.end(), seen.nonzero.begin(), seen.nonzero.end());
    lowest += seen.present[1] / photos;
    highest += seen.present[63] / photos;
  }
  const auto blocks = static_cast<double>(nonzero.size());
  const auto share = [&](int low, int high) {
    return static_cast<double>(std::count_if(nonzero.begin(), nonzero.end(),
                                             [&](int n) { return n >= low && n <= high; })) /
           blocks;
  };
  double mean = 0;
  for (const int count : nonzero) mean += count / blocks;
  EXPECT_NEAR(mean, 30, 5);
  EXPECT_GT(lowest, 0.9);
  EXPECT_LT(highest, 0.35);
  EXPECT_GT(share(0, 7), 0.02);
  EXPECT_GT(share(56, 63), 0.04);
  EXPECT_GT(share(8, 31), 0.3);
}

TEST(PhotoMaker, MakesTheSameBytesOfTheSameSeedAndIndexOnly) {
  const PhotoMaker maker(5);
  EXPECT_EQ(maker.make(7), PhotoMaker(5).make(7));
  EXPECT_NE(maker.make(7), maker.make(8));
  EXPECT_NE(maker.make(7), PhotoMaker(6).make(7));
}

TEST(PhotoMaker, ChangesTheFileButNotThePictureWithTheQuality) {
  const PhotoMaker own(5);
  const std::uint64_t index = find(own, [](const PhotoSpec& s) { return s.quality == 96; });
  EXPECT_EQ(PhotoMaker(5, 96).make(index), own.make(index));
  EXPECT_LT(PhotoMaker(5, 50).make(index).size(), own.make(index).size() / 2);
}

// The value is of this library's own; it holds on every machine, whatever its mathematics library
// and its processor.
TEST(Painting, IsTheSameToTheBitOnEveryMachine) {
  Random random({.seed = 1}, 1);
  const Painting painting(123, 97, random);
  std::vector<std::uint8_t> row(123 * 3);
  std::uint64_t digest = 14695981039346656037U;  // FNV-1a
  for (int y = 0; y < painting.height(); ++y) {
    painting.write_ycbcr(y, 0.5F, row.data());
    for (const std::uint8_t value : row) digest = (digest ^ value) * 1099511628211U;
  }
  EXPECT_EQ(digest, 2759381978286960016U);
}

}  // namespace
}  // namespace stoker::cli
