#include <stoker/pipeline/plan.hpp>

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

namespace stoker {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

std::filesystem::path jpeg(const std::string& name) {
  return std::filesystem::path(STOKER_TEST_DATA) / "jpegs" / name;
}

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::vector<Bytes> good_jpegs() {
  std::vector<Bytes> files;
  for (const char* name :
       {"var_420.jpg", "var_444.jpg", "var_411.jpg", "var_440.jpg", "var_progressive.jpg",
        "var_cmyk_adobe.jpg", "var_restart_row.jpg", "var_orientation_6.jpg",
        "var_orientation_2.jpg", "var_size420_33x31.jpg", "var_size_15x17.jpg",
        "var_size420_1x1.jpg", "var_size_320x1.jpg", "var_arithmetic.jpg"}) {
    files.push_back(read(jpeg(name)));
  }
  return files;
}

Result<PlanOutput> apply(const std::string& pipeline, const Bytes& bytes, const RandomKey& key,
                         bool fuse) {
  const Plan plan(Pipeline::parse(pipeline), {.fuse = fuse});
  Workspace workspace;
  return plan.apply(bytes, key, workspace);
}

TEST(Plan, FusedAndUnfusedAgreeToTheBit) {
  const auto files = good_jpegs();
  for (const char* pipeline :
       {"decode | random_resized_crop(24) | random_horizontal_flip | normalize(imagenet)",
        "decode | random_resized_crop([40, 17], interpolation=bicubic) | random_horizontal_flip | "
        "to(float16, NHWC)",
        "decode | random_resized_crop(9, interpolation=nearest)",
        "decode | resize(30) | center_crop(24) | normalize(imagenet) | to(bfloat16)",
        "decode | resize([11, 90]) | random_crop(8, padding=3) | horizontal_flip",
        "decode | random_horizontal_flip | random_resized_crop(16) | random_horizontal_flip",
        "decode | horizontal_flip | random_crop(40, pad_if_needed=true) | horizontal_flip | "
        "random_crop(5)",
        "decode | center_crop(64) | resize(40) | resize([20, 70]) | center_crop(19)",
        "decode | center_crop(8) | normalize(imagenet) | crop(1, 0, 7, 6) | horizontal_flip",
        "decode | random_crop(1) | resize(3)", "decode"}) {
    for (std::size_t f = 0; f < files.size(); ++f) {
      for (std::uint64_t position = 0; position < 12; ++position) {
        const RandomKey key{7, 1, position, 0};
        const auto fused = apply(pipeline, files[f], key, true);
        const auto unfused = apply(pipeline, files[f], key, false);
        ASSERT_EQ(fused.has_value(), unfused.has_value()) << pipeline << ", file " << f;
        if (!fused) continue;
        ASSERT_EQ(fused->size, unfused->size);
        ASSERT_EQ(fused->data, unfused->data)
            << pipeline << ", file " << f << ", position " << position;
      }
    }
  }
}

TEST(Plan, AFusedCropDecodesFewerPixels) {
  const Bytes bytes = read(jpeg("var_420.jpg"));
  const Plan plan(Pipeline::parse("decode | center_crop(64) | resize(32)"));
  Workspace workspace;
  ASSERT_TRUE(plan.apply(bytes, {}, workspace));
  EXPECT_LT(workspace.pixels_decoded(), 480U * 360U / 4);
  EXPECT_GE(workspace.pixels_decoded(), 64U * 64U);
}

TEST(Plan, AFileBrokenBehindTheCropDecodesUnlessStrict) {
  Bytes bytes = read(jpeg("var_420.jpg"));
  bytes.resize(bytes.size() * 3 / 4);
  const std::string rest = " | crop(top=0, left=0, height=20, width=20)";
  EXPECT_TRUE(apply("decode" + rest, bytes, {}, true));
  EXPECT_FALSE(apply("decode(strict=true)" + rest, bytes, {}, true));
  EXPECT_FALSE(apply("decode" + rest, bytes, {}, false));
  EXPECT_FALSE(apply("decode", bytes, {}, true));
}

TEST(Plan, ScaledDecodingStaysWithinItsBound) {
  for (const char* file : {"var_420.jpg", "var_444.jpg", "var_progressive.jpg"}) {
    const Bytes bytes = read(jpeg(file));
    double worst = 0;
    for (std::uint64_t position = 0; position < 50; ++position) {
      const std::string rest = " | random_resized_crop(24, scale=[0.1, 1])";
      const auto exact = apply("decode" + rest, bytes, {1, 0, position, 0}, true);
      const auto scaled = apply("decode(scaled=true)" + rest, bytes, {1, 0, position, 0}, true);
      ASSERT_TRUE(exact && scaled);
      ASSERT_EQ(exact->data.size(), scaled->data.size());
      double sum = 0;
      for (std::size_t i = 0; i < exact->data.size(); ++i) {
        sum +=
            std::abs(std::to_integer<int>(exact->data[i]) - std::to_integer<int>(scaled->data[i]));
      }
      worst = std::max(worst, sum / static_cast<double>(exact->data.size()));
    }
    // docs/pipeline.md states this bound: the mean difference of an image, in steps of 255.
    EXPECT_LE(worst, 4.0) << file;
  }
}

TEST(Plan, ScaledDecodingIsTheSameWhereTheCropIsSmall) {
  const Bytes bytes = read(jpeg("var_420.jpg"));
  const std::string rest = " | crop(10, 20, 60, 60) | resize(48)";
  EXPECT_EQ(apply("decode" + rest, bytes, {}, true)->data,
            apply("decode(scaled=true)" + rest, bytes, {}, true)->data);
}

TEST(Plan, UserTransformsSeeAndReplacePixels) {
  const Bytes bytes = read(jpeg("var_420.jpg"));
  const auto invert = [](Image& image, Random&) {
    for (std::size_t i = 0; i < image.bytes(); ++i) image.data()[i] ^= 0xFF;
  };
  const auto halve = [](Image& image, Random&) {
    Image half(Size{image.size().height / 2, image.size().width / 2});
    for (int y = 0; y < half.size().height; ++y)
      std::memcpy(half.row(y), image.row(y), half.stride());
    image = std::move(half);
  };
  for (const bool fuse : {true, false}) {
    const Plan plan(
        Pipeline::parse("decode | center_crop(40) | invert | halve | horizontal_flip | invert",
                        {{"invert", invert}, {"halve", halve}}),
        {.fuse = fuse});
    Workspace workspace;
    const auto result = plan.apply(bytes, {}, workspace);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->size, (Size{20, 20}));
    EXPECT_EQ(result->data, apply("decode | center_crop(40) | crop(0, 0, 20, 20) | horizontal_flip",
                                  bytes, {}, fuse)
                                ->data);
  }
}

TEST(Plan, AUserTransformThatChangesTheSizeIsAFailureInABatch) {
  const Bytes bytes = read(jpeg("var_420.jpg"));
  const Plan plan(
      Pipeline::parse("decode | center_crop(8) | grow", {{"grow", [](Image& image, Random&) {
                                                            image.resize({9, 8});
                                                          }}}));
  Workspace workspace;
  Bytes out(3 * 8 * 8);
  const Status status = plan.run(bytes, {}, workspace, out.data());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::shape_mismatch);
  EXPECT_THAT(status.error().message, HasSubstr("[9, 8]"));
}

TEST(Plan, WhatAUserTransformThrowsIsAFailure) {
  const Bytes bytes = read(jpeg("var_420.jpg"));
  const Plan plan(Pipeline::parse("decode | boom", {{"boom", [](Image&, Random&) {
                                                       throw std::runtime_error("no such colour");
                                                     }}}));
  Workspace workspace;
  const auto result = plan.apply(bytes, {}, workspace);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::user_code);
  EXPECT_THAT(result.error().message, HasSubstr("boom threw: no such colour"));
}

TEST(Plan, ACropLargerThanTheImageIsAFailureThatNamesBoth) {
  const Bytes bytes = read(jpeg("var_size_15x17.jpg"));
  const auto result = apply("decode | random_crop(224)", bytes, {}, true);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::crop_out_of_bounds);
  EXPECT_THAT(result.error().message, HasSubstr("224"));
  EXPECT_THAT(result.error().message, HasSubstr("15"));
}

TEST(Plan, ResultsTooLargeForAnyImageAreRefused) {
  const Bytes bytes = read(jpeg("var_size_1x1.jpg"));
  for (const char* step :
       {"resize([65535, 65535])", "center_crop(65535)", "random_crop(65535, pad_if_needed=true)",
        "random_resized_crop(65535)"}) {
    const auto result = apply(std::string("decode | ") + step, bytes, {}, true);
    ASSERT_FALSE(result) << step;
    EXPECT_EQ(result.error().code, ErrorCode::image_too_large) << step;
  }
}

TEST(Plan, RandomNumbersDependOnTheKeyAlone) {
  const Bytes bytes = read(jpeg("var_420.jpg"));
  const char* pipeline = "decode | random_resized_crop(32) | random_horizontal_flip";
  const auto base = apply(pipeline, bytes, {5, 2, 9, 0}, true);
  EXPECT_EQ(apply(pipeline, bytes, {5, 2, 9, 0}, true)->data, base->data);
  for (const RandomKey& other : {RandomKey{6, 2, 9, 0}, RandomKey{5, 3, 9, 0},
                                 RandomKey{5, 2, 10, 0}, RandomKey{5, 2, 9, 1}}) {
    EXPECT_NE(apply(pipeline, bytes, other, true)->data, base->data);
  }
}

}  // namespace
}  // namespace stoker
