#include <stoker/decoders/decoder.hpp>

#include "tests/decoders/jpeg_writer.hpp"
#include "tests/decoders/test_images.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace stoker::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr DecodeOptions as_stored{.orient = false};

File bytes_of(std::string_view text) {
  File file(text.size());
  std::ranges::transform(text, file.begin(), [](char c) { return static_cast<std::byte>(c); });
  return file;
}

#ifdef STOKER_WITH_OPENCV
constexpr bool with_opencv = true;
#else
constexpr bool with_opencv = false;
#endif

/// Removes the segments with a marker, e.g. 0xDB for quantisation tables.
File without_segments(const File& file, int marker) {
  File result(file.begin(), file.begin() + 2);
  std::size_t at = 2;
  for (int found = 0; found != 0xDA;) {
    found = std::to_integer<int>(file.at(at + 1));
    const int length =
        std::to_integer<int>(file.at(at + 2)) << 8 | std::to_integer<int>(file.at(at + 3));
    const std::size_t next = at + 2 + static_cast<std::size_t>(length);
    const auto offset = [&](std::size_t i) {
      return file.begin() + static_cast<std::ptrdiff_t>(i);
    };
    if (found != marker) result.insert(result.end(), offset(at), offset(next));
    at = next;
  }
  result.insert(result.end(), file.begin() + static_cast<std::ptrdiff_t>(at), file.end());
  return result;
}

std::string digest_with(Decoder& decoder, const File& file) {
  Image image;
  const Status status = decode_whole(decoder, file, as_stored, image);
  return status ? digest(image) : std::string(name(status.error().code));
}

void expect_pixels_of(const std::filesystem::path& folder) {
  Decoder decoder;
  Image image;
  for (const Expected& expected : read_expected(folder)) {
    if (!with_opencv && expected.name.starts_with("png_")) continue;
    SCOPED_TRACE(expected.name);
    const Status status =
        decode_whole(decoder, read_file(folder / expected.name), as_stored, image);
    if (expected.digests.empty()) {
      EXPECT_FALSE(status);
      continue;
    }
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_THAT(expected.digests, Contains(digest(image)));
  }
}

TEST(Decoder, GivesPillowsPixelsForEveryFileOfTheDataAndRefusesTheBrokenOnes) {
  expect_pixels_of(data_folder());
}

TEST(Decoder, GivesPillowsPixelsForEverySharedFile) {
  const char* shared = std::getenv("STOKER_SHARED");
  if (!shared) GTEST_SKIP() << "the environment variable STOKER_SHARED names no folder";
  expect_pixels_of(std::filesystem::path(shared) / "jpegs");
}

TEST(Decoder, TurnsEveryOrientationUpright) {
  Decoder decoder;
  Image image;
  int turned = 0;
  for (const Expected& expected : read_expected(data_folder())) {
    if (expected.upright_digest.empty()) continue;
    SCOPED_TRACE(expected.name);
    const File file = read_file(expected.name);
    ASSERT_TRUE(decode_whole(decoder, file, {}, image));
    EXPECT_EQ(digest(image), expected.upright_digest);
    EXPECT_EQ(*decoder.open(file, {}), image.size());
    ++turned;
  }
  EXPECT_EQ(turned, 8);
}

TEST(Decoder, IgnoresTheOrientationWhereAsked) {
  Decoder decoder;
  const File file = read_file("var_orientation_6.jpg");
  EXPECT_EQ(*decoder.open(file, as_stored), (Size{97, 131}));
  EXPECT_EQ(*decoder.open(file, {}), (Size{131, 97}));
}

TEST(Decoder, NamesWhatIsWrongWithEachBrokenFile) {
  Decoder decoder;
  Image image;
  const auto code = [&](const File& file) {
    return code_of(decode_whole(decoder, file, {}, image));
  };
  EXPECT_EQ(code({}), ErrorCode::empty_file);
  EXPECT_EQ(code(read_file("bad_empty.jpg")), ErrorCode::empty_file);
  EXPECT_EQ(code(read_file("bad_not_jpeg.jpg")), ErrorCode::unknown_format);
  EXPECT_EQ(code(bytes_of("\xFF")), ErrorCode::unknown_format);
  EXPECT_EQ(code(bytes_of("\xFF\xD8")), ErrorCode::truncated);
  EXPECT_EQ(code(read_file("bad_header_only.jpg")), ErrorCode::truncated);
  EXPECT_EQ(code(read_file("bad_zero_height.jpg")), ErrorCode::corrupt);
  EXPECT_EQ(code(read_file("bad_declares_65500x65500.jpg")), ErrorCode::image_too_large);
  EXPECT_EQ(code(without_segments(read_file("var_420.jpg"), 0xDB)), ErrorCode::corrupt);
}

TEST(Decoder, RefusesTwelveBitsLosslessCodingAndTwoColourComponentsAsUnsupported) {
  Decoder decoder;
  File file = read_file("var_444.jpg");
  const std::array start_of_frame{std::byte{0xFF}, std::byte{0xC0}};
  const auto frame = std::ranges::search(file, start_of_frame).begin();
  ASSERT_NE(frame, file.end());
  File twelve_bits = file;
  twelve_bits[static_cast<std::size_t>(frame - file.begin()) + 4] = std::byte{12};
  Image image;
  EXPECT_EQ(code_of(decode_whole(decoder, twelve_bits, {}, image)), ErrorCode::unsupported);
  frame[1] = std::byte{0xC3};
  EXPECT_EQ(code_of(decode_whole(decoder, file, {}, image)), ErrorCode::unsupported);
}

TEST(Decoder, SaysHowAnUnknownFileStarts) {
  Decoder decoder;
  const auto opened = decoder.open(read_file("bad_not_jpeg.jpg"), {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("starts with \"GIF89a"));
}

TEST(Decoder, DecodesUpToTheLimitOfPixelsAndNoMore) {
  Decoder decoder;
  const File file = read_file("var_420.jpg");
  EXPECT_TRUE(decoder.open(file, {.max_pixels = 480 * 360}));
  const auto refused = decoder.open(file, {.max_pixels = 480 * 360 - 1});
  EXPECT_EQ(code_of(refused), ErrorCode::image_too_large);
  EXPECT_THAT(refused.error().message, HasSubstr("480 x 360"));
}

TEST(Decoder, DecodesAFileBrokenBehindTheWindowUnlessStrict) {
  Decoder decoder;
  Image part;
  File file = read_file("var_420.jpg");
  file.resize(file.size() / 2);
  const Rect upper{10, 20, 60, 100};
  EXPECT_TRUE(decode_window(decoder, file, upper, {}, part));
  EXPECT_EQ(code_of(decode_window(decoder, file, upper, {.strict = true}, part)),
            ErrorCode::truncated);
  EXPECT_EQ(code_of(decode_window(decoder, file, {300, 0, 60, 100}, {}, part)),
            ErrorCode::truncated);
}

TEST(Decoder, MissesTheEndMarkerOfAWholeImageAndOfAStrictWindow) {
  Decoder decoder;
  Image image;
  File file = read_file("var_420.jpg");
  file.resize(file.size() - 2);
  EXPECT_EQ(code_of(decode_whole(decoder, file, {}, image)), ErrorCode::truncated);
  EXPECT_TRUE(decode_window(decoder, file, {0, 0, 100, 480}, {}, image));
  EXPECT_EQ(code_of(decode_window(decoder, file, {0, 0, 100, 480}, {.strict = true}, image)),
            ErrorCode::truncated);
}

TEST(Decoder, DecodesAsIfFreshAfterAnyFailure) {
  Decoder decoder;
  Image image;
  const File good = read_file("var_progressive.jpg");
  const std::string wanted = digest_with(decoder, good);
  for (const Expected& expected : read_expected(data_folder())) {
    if (expected.name.starts_with("odd_")) continue;  // their first two thirds hold an image
    File broken = read_file(expected.name);
    broken.resize(broken.size() * 2 / 3);
    ASSERT_FALSE(decode_whole(decoder, broken, as_stored, image)) << expected.name;
    ASSERT_EQ(digest_with(decoder, good), wanted) << expected.name;
  }
}

TEST(Decoder, GivesAnImageWithoutTablesNothingOfTheImageBefore) {
  constexpr int quantisation_tables = 0xDB;
  constexpr int huffman_tables = 0xC4;
  for (const int missing : {quantisation_tables, huffman_tables}) {
    const File file = without_segments(read_file("var_optimized.jpg"), missing);
    Decoder fresh;
    Decoder used;
    digest_with(used, read_file("var_q100.jpg"));
    digest_with(used, read_file("var_optimized.jpg"));
    EXPECT_EQ(digest_with(used, file), digest_with(fresh, file));
    EXPECT_NE(digest_with(used, file), digest_with(fresh, read_file("var_optimized.jpg")));
  }
}

TEST(Decoder, StopsAtAFileOfEndlessScans) {
  JpegRecipe recipe{.size = {16, 16}, .components = 1, .progressive = true};
  File file = write_jpeg(recipe);
  const std::array start_of_scan{std::byte{0xFF}, std::byte{0xDA}};
  const File last_scan(std::ranges::find_end(file, start_of_scan).begin(), file.end() - 2);
  for (int i = 0; i < 600; ++i) file.insert(file.end() - 2, last_scan.begin(), last_scan.end());
  Decoder decoder;
  Image image;
  const Status status = decode_whole(decoder, file, {}, image);
  EXPECT_EQ(code_of(status), ErrorCode::corrupt);
  EXPECT_THAT(status.error().message, HasSubstr("500 scans"));
}

TEST(Decoder, NeedsAnOpenedImageForEachDecode) {
  Decoder decoder;
  Image image;
  EXPECT_EQ(code_of(decoder.decode({0, 0, 1, 1}, 1, image)), ErrorCode::invalid_state);
  ASSERT_TRUE(decode_whole(decoder, read_file("var_444.jpg"), {}, image));
  EXPECT_EQ(code_of(decoder.decode({0, 0, 1, 1}, 1, image)), ErrorCode::invalid_state);
}

TEST(Decoder, RefusesWindowsOutsideAndScalesThatAreNone) {
  Decoder decoder;
  Image image;
  const File file = read_file("var_444.jpg");
  for (const Rect outside :
       {Rect{0, 0, 361, 1}, Rect{0, 480, 1, 1}, Rect{-1, 0, 2, 2}, Rect{0, 0, 0, 1}}) {
    EXPECT_EQ(code_of(decode_window(decoder, file, outside, {}, image)),
              ErrorCode::crop_out_of_bounds);
  }
  EXPECT_EQ(code_of(decode_window(decoder, file, {0, 0, 8, 8}, {}, image, 3)),
            ErrorCode::invalid_argument);
}

TEST(Decoder, IsMovedWithItsOpenImage) {
  Decoder first;
  Image image;
  const File file = read_file("var_444.jpg");
  const Result<Size> size = first.open(file, {});
  ASSERT_TRUE(size);
  Decoder second(std::move(first));
  ASSERT_TRUE(second.decode(whole(*size), 1, image));
  EXPECT_EQ(second.pixels_decoded(), 480u * 360u);
}

TEST(Decoder, AccountsForTheMemoryOfTurningAndConverting) {
  Decoder decoder;
  Image image;
  ASSERT_TRUE(decode_whole(decoder, read_file("var_444.jpg"), {}, image));
  const std::size_t before = decoder.capacity();
  ASSERT_TRUE(decode_whole(decoder, read_file("var_orientation_6.jpg"), {}, image));
  EXPECT_GE(decoder.capacity(), before + 131 * 97 * 3);
}

#ifdef STOKER_WITH_OPENCV

TEST(Decoder, DecodesWindowsOfAPngWhateverItIsCalled) {
  Decoder decoder;
  Image full;
  Image part;
  const File file = read_file("png_called.JPEG");
  ASSERT_TRUE(decode_whole(decoder, file, {}, full));
  const Rect window{3, 5, 11, 17};
  const auto decoded = decode_window(decoder, file, window, {}, part);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->covers, window);
  EXPECT_TRUE(same_pixels(full, part, *decoded, window));
}

TEST(Decoder, RefusesAPngThatIsTooLargeTruncatedOrCorrupt) {
  Decoder decoder;
  File file = read_file("png_called.JPEG");
  EXPECT_EQ(code_of(decoder.open(file, {.max_pixels = 29 * 18 - 1})), ErrorCode::image_too_large);
  File cut = file;
  cut.resize(cut.size() - 1);
  EXPECT_EQ(code_of(decoder.open(cut, {})), ErrorCode::truncated);
  file[file.size() / 2] ^= std::byte{0xFF};
  EXPECT_EQ(code_of(decoder.open(file, {})), ErrorCode::corrupt);
}

TEST(Decoder, DecodesOtherFormatsAtFullSizeOnly) {
  Decoder decoder;
  const File file = read_file("png_called.JPEG");
  Image image;
  ASSERT_TRUE(decoder.open(file, {.scaled = true}));
  EXPECT_EQ(decoder.denominator_for({0, 0, 18, 29}, {1, 1}), 1);
  EXPECT_EQ(code_of(decoder.decode({0, 0, 18, 29}, 2, image)), ErrorCode::invalid_argument);
}

TEST(Decoder, ChecksTheSizeOfFormatsWithoutAHeaderReaderOnceTheyAreDecoded) {
  Decoder decoder;
  const File map = bytes_of("P5 3 2 255\nabcdef");
  EXPECT_EQ(*decoder.open(map, {.max_pixels = 6}), (Size{2, 3}));
  EXPECT_EQ(code_of(decoder.open(map, {.max_pixels = 5})), ErrorCode::image_too_large);
}

#else

TEST(Decoder, SaysThatOtherFormatsNeedABuildWithOpenCv) {
  Decoder decoder;
  const auto opened = decoder.open(read_file("png_called.JPEG"), {});
  EXPECT_EQ(code_of(opened), ErrorCode::unsupported);
  EXPECT_THAT(opened.error().message, HasSubstr("OpenCV"));
}

#endif

}  // namespace
}  // namespace stoker::test
