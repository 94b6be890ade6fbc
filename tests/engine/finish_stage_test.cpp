// The finish on a device: whatever it is and wherever it is done, the bits are the same.
#include "tests/engine/walk_photos.hpp"

namespace stoker::testing {
namespace {

class FinishOnADevice : public ::testing::TestWithParam<const char*> {};

TEST_P(FinishOnADevice, GivesTheSameBitsAsOnTheCpu) {
  const std::string pipeline =
      std::string("decode | random_resized_crop([19, 23]) | random_horizontal_flip") + GetParam();
  const MemorySource source = photos();
  LoaderOptions options{.batch_size = 3, .shuffle = true, .seed = 5, .num_workers = 0};
  options.finish = FinishOn::cpu;
  const Seen expected = walk(source, pipeline, options, 1);
  ASSERT_EQ(expected.labels.size(), 7U);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    options.finish = seed == 9 ? FinishOn::automatic : FinishOn::device;
    options.num_workers = static_cast<int>(seed % 3);
    EXPECT_EQ(walk(source, pipeline, options, seed), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Ends, FinishOnADevice,
                         ::testing::Values("", " | to(uint8, NHWC)", " | normalize(imagenet)",
                                           " | to(float16)", " | normalize(imagenet) | to(float16)",
                                           " | normalize(imagenet) | to(bfloat16, NHWC)",
                                           " | to(float32, NHWC)"));

TEST(FinishOnADevice, SendsFewerBytesOverTheBus) {
  const MemorySource source = photos();
  const auto pipeline = Pipeline::parse("decode | random_resized_crop(32) | normalize(imagenet)");
  const auto bytes_copied = [&](FinishOn finish) {
    LoaderOptions options{.batch_size = 7};
    options.device = simulated(1);
    options.finish = finish;
    Loader loader(source, pipeline, options);
    loader.epoch(0, true).next();
    return loader.stats().bytes_copied;
  };
  constexpr std::uint64_t pixels = 7 * 32 * 32 * 3;
  EXPECT_GE(bytes_copied(FinishOn::cpu), 4 * pixels);
  EXPECT_LE(bytes_copied(FinishOn::device), pixels + 7 * 9);
  EXPECT_EQ(bytes_copied(FinishOn::automatic), bytes_copied(FinishOn::device));
}

TEST(FinishOnADevice, ShowsWhatTheConsumerGets) {
  const MemorySource source = photos();
  LoaderOptions options{.batch_size = 2};
  options.device = simulated(1);
  Loader loader(source, Pipeline::parse("decode | random_resized_crop(8) | to(float16)"), options);
  ASSERT_EQ(loader.fields().size(), 2U);
  EXPECT_EQ(loader.fields()[0].name, "image");
  EXPECT_EQ(loader.fields()[0].dtype, DType::float16);
  EXPECT_EQ(loader.fields()[0].shape, (Shape{3, 8, 8}));
  EXPECT_EQ(loader.epoch(0, true).next()->field_count(), 2U);
}

TEST(FinishOnADevice, NeedsADevice) {
  const MemorySource source = photos();
  const auto pipeline = Pipeline::parse("decode | random_resized_crop(8)");
  LoaderOptions options;
  options.finish = FinishOn::device;
  EXPECT_THROW(Loader(source, pipeline, options), Error);
  EXPECT_NE(Plan(pipeline).explain(FinishOn::device).find("on the device"), std::string::npos);
  EXPECT_NE(Plan(pipeline).explain().find("on the CPU"), std::string::npos);
}

}  // namespace
}  // namespace stoker::testing
