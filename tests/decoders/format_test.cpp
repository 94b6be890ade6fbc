#include "decoders/format.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string_view>

namespace stoker::test {
namespace {

using namespace std::string_view_literals;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Format, IsRecognisedByItsFirstBytes) {
  EXPECT_EQ(format_of(bytes("\xFF\xD8\xFF\xE0"sv)), Format::jpeg);
  EXPECT_EQ(format_of(bytes("\xFF\xD8junk"sv)), Format::jpeg);
  EXPECT_EQ(format_of(bytes("\x89PNG\r\n\x1A\n...."sv)), Format::png);
  EXPECT_EQ(format_of(bytes("BM6"sv)), Format::bmp);
  EXPECT_EQ(format_of(bytes("RIFF1234WEBPVP8 "sv)), Format::webp);
  EXPECT_EQ(format_of(bytes("II*\0abc"sv)), Format::tiff);
  EXPECT_EQ(format_of(bytes("MM\0*abc"sv)), Format::tiff);
  EXPECT_EQ(format_of(bytes("\xFF\x4F\xFF\x51"sv)), Format::jpeg2000);
  EXPECT_EQ(format_of(bytes("P6 1 1 255\n"sv)), Format::netpbm);
}

TEST(Format, IsUnknownForAnythingElse) {
  for (const std::string_view text : {""sv, "\xFF"sv, "GIF89a"sv, "RIFF1234WAVE"sv, "RIFF"sv,
                                      "\x89PNG"sv, "P7 "sv, "P6"sv, "hello"sv}) {
    EXPECT_EQ(format_of(bytes(text)), Format::unknown) << text;
  }
}

TEST(Format, DescribesAStartInTextAndInHexadecimal) {
  EXPECT_EQ(describe_start(bytes("GIF89a\1\2\3"sv)),
            "starts with \"GIF89a\" (47 49 46 38 39 61 01 02)");
  EXPECT_EQ(describe_start(bytes("\0\1"sv)), "starts with 00 01");
  EXPECT_EQ(describe_start(bytes("x"sv)), "starts with \"x\" (78)");
}

TEST(Format, HasANameForEach) {
  EXPECT_EQ(name(Format::jpeg), "JPEG");
  EXPECT_EQ(name(Format::png), "PNG");
  EXPECT_EQ(name(Format::unknown), "unknown");
}

}  // namespace
}  // namespace stoker::test
