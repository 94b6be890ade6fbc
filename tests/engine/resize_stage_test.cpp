// The resize on a device: whatever is resized and wherever, the bits are the same.
#include "tests/engine/walk_photos.hpp"

#include <gmock/gmock.h>

namespace stoker::testing {
namespace {

using ::testing::HasSubstr;

LoaderOptions walk_options() {
  return {.batch_size = 3, .shuffle = true, .seed = 5, .num_workers = 0};
}

class ResizeOnADevice : public ::testing::TestWithParam<const char*> {};

TEST_P(ResizeOnADevice, GivesTheSameBitsAsOnTheCpu) {
  const MemorySource source = photos();
  const std::string pipeline = std::string("decode | ") + GetParam();
  LoaderOptions options = walk_options();
  options.finish = FinishOn::cpu;
  const Seen expected = walk(source, pipeline, options, 1);
  ASSERT_EQ(expected.labels.size(), 7U);
  options.finish = FinishOn::automatic;
  options.resize_on = ResizeOn::device;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    options.num_workers = static_cast<int>(seed % 4);
    options.prefetch = 1 + seed % 3;
    EXPECT_EQ(walk(source, pipeline, options, seed), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pipelines, ResizeOnADevice,
    ::testing::Values(
        "random_resized_crop([19, 23]) | random_horizontal_flip | normalize(imagenet)",
        "random_resized_crop(16, interpolation=bicubic) | to(float16)",
        "random_resized_crop(64) | random_horizontal_flip(0.9) | to(uint8, NHWC)",
        // A crop behind the resize, no resize at all, an axis that only moves, no filter.
        "resize(40) | center_crop(24) | normalize(imagenet) | to(bfloat16)",
        "random_crop(20) | random_horizontal_flip", "center_crop(400) | to(uint8, NCHW)",
        "resize([48, 31])", "resize(24, interpolation=nearest) | center_crop(20)",
        // What must be carried out before the last resize, and a resize that is not the last step.
        "random_horizontal_flip | resize([30, 30])",
        "resize([30, 30]) | random_crop(20, padding=4)",
        "resize([33, 30]) | random_horizontal_flip | random_crop(20)",
        "resize([40, 40]) | resize([21, 20]) | to(uint8)"));

TEST(ResizeOnADevice, TurnsImagesUprightAndScalesInTheDecoder) {
  const MemorySource source =
      photos({"var_orientation_6.jpg", "var_orientation_5.jpg", "var_orientation_2.jpg",
              "var_420.jpg", "var_cmyk_adobe.jpg", "var_size_1x240.jpg", "var_rgb_colorspace.jpg"});
  for (const std::string pipeline :
       {"decode | random_resized_crop([19, 23])", "decode(scaled=true) | random_resized_crop(7)"}) {
    LoaderOptions options = walk_options();
    const Seen expected = walk(source, pipeline, options, 1);
    options.resize_on = ResizeOn::device;
    options.num_workers = 2;
    EXPECT_EQ(walk(source, pipeline, options, 2), expected) << pipeline;
  }
}

TEST(ResizeOnADevice, ResizesOnTheCpuWhatFindsNoRoomAndCountsIt) {
  const MemorySource source = photos();
  const std::string pipeline = "decode | resize([30, 34]) | random_horizontal_flip";
  LoaderOptions options = walk_options();
  const Seen expected = walk(source, pipeline, options, 1);
  options.resize_on = ResizeOn::device;
  const auto counted = [&](std::size_t crop_bytes, int workers) {
    std::uint64_t count = 0;
    options.crop_bytes = crop_bytes;
    options.num_workers = workers;
    EXPECT_EQ(walk(source, pipeline, options, 3,
                   [&](const Stats& stats) {
                     count = stats.resized_on_cpu;
                     EXPECT_EQ(stats.table().find("resized on the CPU") != std::string::npos,
                               count > 0);
                   }),
              expected);
    return count;
  };
  EXPECT_EQ(counted(std::size_t{4} << 20, 2), 0U);
  EXPECT_EQ(counted(1, 0), 7U);
  EXPECT_EQ(counted(1, 3), 7U);
  const std::uint64_t some = counted(200'000, 0);
  EXPECT_GT(some, 0U);
  EXPECT_LT(some, 7U);
}

TEST(ResizeOnADevice, ResizesOnTheCpuWhatTheKernelIsNotFor) {
  const MemorySource source = photos();
  LoaderOptions options = walk_options();
  const std::string pipeline = "decode | resize([2, 3])";
  const Seen expected = walk(source, pipeline, options, 1);
  options.resize_on = ResizeOn::device;
  options.crop_bytes = std::size_t{1} << 20;
  EXPECT_EQ(walk(source, pipeline, options, 1,
                 [](const Stats& stats) { EXPECT_EQ(stats.resized_on_cpu, 7U); }),
            expected);
}

TEST(ResizeOnADevice, ReplacesAndMasksBadSamples) {
  const MemorySource source = photos(
      {"var_420.jpg", "bad_header_only.jpg", "var_444.jpg", "bad_not_jpeg.jpg", "var_q5.jpg"});
  for (const Remainder remainder : {Remainder::pad, Remainder::uneven}) {
    LoaderOptions options = walk_options();
    options.on_error = OnError::skip;
    options.remainder = remainder;
    const std::string pipeline = "decode | random_resized_crop(18) | to(uint8)";
    Seen expected = walk(source, pipeline, options, 1);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      options.resize_on = ResizeOn::device;
      options.num_workers = static_cast<int>(seed % 3);
      options.crop_bytes = seed % 2 == 0 ? 0 : 1;
      EXPECT_EQ(walk(source, pipeline, options, seed), expected);
    }
  }
}

TEST(ResizeOnADevice, SendsOnlyTheBytesThatWereTaken) {
  const MemorySource source = photos();
  LoaderOptions options = walk_options();
  options.batch_size = 7;
  options.resize_on = ResizeOn::device;
  options.crop_bytes = std::size_t{8} << 20;
  std::uint64_t bytes = 0;
  walk(source, "decode | resize([100, 100])", options, 1,
       [&](const Stats& stats) { bytes = stats.bytes_copied; });
  EXPECT_GT(bytes, 7 * sizeof(ResizeCrop));
  EXPECT_LT(bytes, std::uint64_t{4} << 20);
}

TEST(ResizeOnADevice, RefusesRoomThatNoMemoryHas) {
  const MemorySource source = photos();
  const auto pipeline = Pipeline::parse("decode | random_resized_crop(8)");
  LoaderOptions options;
  options.device = simulated(1);
  options.resize_on = ResizeOn::device;
  for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - 62, ~std::size_t{0} / 3}) {
    options.crop_bytes = bytes;
    EXPECT_THROW(Loader(source, pipeline, options), Error) << bytes;
  }
}

TEST(ResizeOnADevice, NeedsADeviceAndBringsTheFinishAlong) {
  const MemorySource source = photos();
  const auto pipeline = Pipeline::parse("decode | random_resized_crop(8)");
  const auto message = [&](const LoaderOptions& options) -> std::string {
    try {
      Loader loader(source, pipeline, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return error.what();
    }
    return "";
  };
  LoaderOptions options;
  options.resize_on = ResizeOn::device;
  EXPECT_THAT(message(options), HasSubstr("needs a device"));
  options.device = simulated(1);
  EXPECT_EQ(message(options), "");
  options.finish = FinishOn::cpu;
  EXPECT_THAT(message(options), HasSubstr("finish"));
  EXPECT_THAT(Plan(pipeline).explain(FinishOn::device, ResizeOn::device),
              HasSubstr("one kernel resizes"));
}

}  // namespace
}  // namespace stoker::testing
