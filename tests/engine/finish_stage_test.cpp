// The finish on a device: whatever it is and wherever it is done, the bits are the same.
#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>
#include <stoker/sources/memory_source.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace stoker::testing {
namespace {

std::vector<std::byte> jpeg(const std::string& name) {
  std::ifstream file(std::string(STOKER_TEST_DATA) + "/jpegs/" + name, std::ios::binary);
  std::vector<std::byte> bytes;
  for (std::istreambuf_iterator<char> c(file), end; c != end; ++c) {
    bytes.push_back(static_cast<std::byte>(*c));
  }
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

MemorySource photos() {
  std::vector<MemorySample> samples;
  std::int64_t label = 100;
  for (const char* name : {"var_420.jpg", "var_444.jpg", "var_411.jpg", "var_progressive.jpg",
                           "var_q5.jpg", "var_440.jpg", "var_optimized.jpg"}) {
    samples.push_back({name, jpeg(name), label++});
  }
  return MemorySource(std::move(samples));
}

/// All bytes of an epoch as kernels of the consumer see them.
struct Seen {
  std::vector<std::byte> images;
  std::vector<std::int64_t> labels;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen walk(const std::string& pipeline, FinishOn finish, int num_workers, std::uint64_t seed) {
  const MemorySource source = photos();
  const auto device = simulated(seed, {.progress = 0.2});
  LoaderOptions options{.batch_size = 3, .shuffle = true, .seed = 5, .num_workers = num_workers};
  options.device = device;
  options.stream = device->create_stream();
  options.finish = finish;
  Seen seen;
  {
    Loader loader(source, Pipeline::parse(pipeline), options);
    for (const Batch& batch : loader.epoch(1, true)) {
      const TensorView images = batch["image"], labels = batch["label"];
      device->launch(options.stream, [images, labels, &seen] {
        const auto* first = images.as<std::byte>();
        seen.images.insert(seen.images.end(), first, first + images.bytes());
        const auto* label = labels.as<std::int64_t>();
        seen.labels.insert(seen.labels.end(), label, label + labels.shape.elements());
      });
    }
    device->synchronize();
  }
  device->destroy_stream(options.stream);
  EXPECT_EQ(device->leaks().text(), "nothing");
  return seen;
}

class FinishOnADevice : public ::testing::TestWithParam<const char*> {};

TEST_P(FinishOnADevice, GivesTheSameBitsAsOnTheCpu) {
  const std::string pipeline =
      std::string("decode | random_resized_crop([19, 23]) | random_horizontal_flip") + GetParam();
  const Seen expected = walk(pipeline, FinishOn::cpu, 0, 1);
  ASSERT_EQ(expected.labels.size(), 7U);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(walk(pipeline, FinishOn::device, static_cast<int>(seed % 3), seed), expected);
  }
  EXPECT_EQ(walk(pipeline, FinishOn::automatic, 2, 3), expected);
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
