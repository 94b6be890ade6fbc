#include "decoders/exif.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace stoker::test {
namespace {

using Bytes = std::vector<std::byte>;

/// Writes numbers in either byte order.
struct Writer {
  bool little = false;
  Bytes bytes;

  void number(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) {
      const int shift = 8 * (little ? i : count - 1 - i);
      bytes.push_back(static_cast<std::byte>(value >> shift));
    }
  }
  void text(std::string_view characters) {
    for (const char c : characters) bytes.push_back(static_cast<std::byte>(c));
  }
};

struct Entry {
  std::uint32_t tag = 0x0112;
  std::uint32_t type = 3;
  std::uint32_t value = 6;
};

Bytes tiff(bool little, const std::vector<Entry>& entries) {
  Writer writer{little, {}};
  writer.text(little ? "II" : "MM");
  writer.number(42, 2);
  writer.number(8, 4);
  writer.number(static_cast<std::uint32_t>(entries.size()), 2);
  for (const Entry& entry : entries) {
    writer.number(entry.tag, 2);
    writer.number(entry.type, 2);
    writer.number(1, 4);
    writer.number(entry.value, 2);
    writer.number(0, 2);
  }
  return writer.bytes;
}

/// A JPEG file's first segments: JFIF, then one with `payload`, then the start of a scan.
Bytes jpeg_with(const Bytes& payload, std::string_view name = std::string_view("Exif\0\0", 6),
                int marker = 0xE1) {
  Writer writer;
  writer.number(0xFFD8FFE0, 4);
  writer.number(4, 2);
  writer.number(0, 2);
  writer.number(0xFF00u | static_cast<std::uint32_t>(marker), 2);
  writer.number(static_cast<std::uint32_t>(payload.size() + name.size()) + 2, 2);
  writer.text(name);
  writer.bytes.insert(writer.bytes.end(), payload.begin(), payload.end());
  writer.number(0xFFDA0002, 4);
  return writer.bytes;
}

TEST(Exif, ReadsTheOrientationInBothByteOrders) {
  for (const bool little : {false, true}) {
    for (std::uint32_t value = 1; value <= 8; ++value) {
      const Bytes file = jpeg_with(tiff(little, {{0x0100, 4, 9}, {0x0112, 3, value}}));
      EXPECT_EQ(exif_orientation(file), Orientation::from_exif(static_cast<int>(value)));
    }
  }
}

TEST(Exif, TakesAnythingElseAsUpright) {
  EXPECT_TRUE(exif_orientation({}).is_upright());
  EXPECT_TRUE(exif_orientation(jpeg_with({})).is_upright());
  EXPECT_TRUE(exif_orientation(jpeg_with(tiff(true, {}))).is_upright());
  EXPECT_TRUE(exif_orientation(jpeg_with(tiff(true, {{0x0112, 3, 0}}))).is_upright());
  EXPECT_TRUE(exif_orientation(jpeg_with(tiff(true, {{0x0112, 3, 9}}))).is_upright());
  EXPECT_TRUE(exif_orientation(jpeg_with(tiff(true, {{0x0112, 2, 6}}))).is_upright());
  EXPECT_TRUE(exif_orientation(jpeg_with(tiff(true, {{}}), "http://ns.adobe.com/")).is_upright());
  EXPECT_TRUE(exif_orientation(jpeg_with(tiff(true, {{}}), "Exif", 0xE2)).is_upright());
}

TEST(Exif, StopsAtTheImageData) {
  Bytes file = jpeg_with({}, "ABCDEF");
  const Bytes behind = jpeg_with(tiff(true, {{}}));
  file.insert(file.end(), behind.begin(), behind.end());
  EXPECT_TRUE(exif_orientation(file).is_upright());
}

TEST(Exif, PassesJunkBetweenSegments) {
  Bytes file = jpeg_with(tiff(false, {{}}));
  file.insert(file.begin() + 8, {std::byte{7}, std::byte{0}, std::byte{0xFF}});
  EXPECT_EQ(exif_orientation(file), Orientation::from_exif(6));
}

TEST(Exif, SurvivesEveryTruncation) {
  const Bytes file = jpeg_with(tiff(true, {{0x0100, 4, 9}, {}}));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    const Orientation found = exif_orientation(cut);
    EXPECT_TRUE(found.is_upright() || found == Orientation::from_exif(6)) << size;
  }
}

TEST(Exif, SurvivesCorruption) {
  const Bytes file = jpeg_with(tiff(true, {{0x0100, 4, 9}, {}, {0x0132, 2, 3}}));
  std::mt19937 random(1);
  int upright = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes broken = file;
    for (int j = 0; j < 3; ++j) broken[random() % broken.size()] = static_cast<std::byte>(random());
    upright += exif_orientation(broken).is_upright() ? 1 : 0;
  }
  EXPECT_GT(upright, 1000);
}

}  // namespace
}  // namespace stoker::test
