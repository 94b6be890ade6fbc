#include "bench/jpeg_decompressor.hpp"

#include "tests/cli/run_command.hpp"

#include <gtest/gtest.h>

namespace stoker::bench {
namespace {

std::string image(const std::string& name) {
  return cli::content_of(std::string(STOKER_TEST_DATA) + "/jpegs/" + name);
}

std::span<const std::byte> bytes(const std::string& content) {
  return std::as_bytes(std::span(content));
}

TEST(JpegDecompressor, DecodesCropsOfOneImageAfterTheOther) {
  JpegDecompressor decompressor;
  for (const char* name : {"var_420.jpg", "var_444.jpg", "var_progressive.jpg", "var_411.jpg"}) {
    const std::string content = image(name);
    EXPECT_EQ(decompressor.open(bytes(content)), (Size{360, 480})) << name;
    EXPECT_TRUE(decompressor.decode({100, 33, 77, 201})) << name;
    EXPECT_EQ(decompressor.open(bytes(content)), (Size{360, 480})) << name;
    EXPECT_TRUE(decompressor.decode({0, 0, 360, 480})) << name;
  }
}

TEST(JpegDecompressor, RefusesWhatIsNoJpegOfRgbAndGoesOn) {
  JpegDecompressor decompressor;
  for (const char* name : {"png_called.JPEG", "var_cmyk_adobe.jpg", "bad_not_jpeg.jpg",
                           "bad_header_only.jpg", "bad_empty.jpg"}) {
    const std::string content = image(name);
    EXPECT_FALSE(decompressor.open(bytes(content))) << name;
  }
  const std::string content = image("var_420.jpg");
  EXPECT_EQ(decompressor.open(bytes(content)), (Size{360, 480}));
  EXPECT_TRUE(decompressor.decode({0, 0, 10, 10}));
}

}  // namespace
}  // namespace stoker::bench
