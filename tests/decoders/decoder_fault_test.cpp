#include "tests/decoders/jpeg_writer.hpp"
#include "tests/decoders/test_images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace stoker::test {
namespace {

/// Small enough that a mutated size cannot cost seconds.
constexpr std::uint64_t small_limit = 1 << 20;

/// Opens a file, then decodes what the bits of `choice` say: all or a part, strict, scaled, turned.
Status decode_something(Decoder& decoder, const File& file, std::uint32_t choice, Image& out) {
  const DecodeOptions options{.strict = (choice & 1) != 0,
                              .orient = (choice & 2) != 0,
                              .scaled = true,
                              .max_pixels = small_limit};
  const Result<Size> size = decoder.open(file, options);
  if (!size) return tl::unexpected(size.error());
  Rect window = whole(*size);
  if ((choice & 4) != 0) {
    window = {size->height / 3, size->width / 4, (size->height + 2) / 3, (size->width + 1) / 2};
  }
  const int denominator = 1 << (choice >> 3 & 3);
  const auto decoded = decoder.decode(window, denominator, out);
  if (!decoded) return tl::unexpected(decoded.error());
  EXPECT_EQ(out.size(), decoded->covers.size());
  return {};
}

File random_file(std::mt19937& random) {
  JpegRecipe recipe;
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  recipe.size = {between(1, 60), between(1, 60)};
  recipe.components = std::array{1, 3, 3, 4}[random() % 4];
  recipe.sampling[0] =
      std::array{Sampling{1, 1}, Sampling{2, 1}, Sampling{2, 2}, Sampling{1, 4}}[random() % 4];
  recipe.sampling[1] = {1, std::min(2, recipe.sampling[0].vertical)};
  recipe.progressive = random() % 2 == 0;
  recipe.interleaved = random() % 4 != 0;
  recipe.arithmetic = random() % 4 == 0;
  recipe.restart_rows = between(0, 1);
  recipe.quality = between(5, 95);
  recipe.seed = static_cast<std::uint32_t>(random());
  return write_jpeg(recipe);
}

void corrupt(File& file, std::mt19937& random) {
  const auto place = [&] { return random() % file.size(); };
  for (auto changes = 1 + random() % 4; changes > 0; --changes) {
    switch (random() % 4) {
      case 0: file[place()] = static_cast<std::byte>(random()); break;
      case 1: file[place()] ^= static_cast<std::byte>(1u << random() % 8); break;
      case 2:  // most markers lie at the start
        file[random() % std::min<std::size_t>(file.size(), 700)] = static_cast<std::byte>(random());
        break;
      default: file.erase(file.begin() + static_cast<std::ptrdiff_t>(place())); break;
    }
    if (file.empty()) return;
  }
}

TEST(DecoderFault, EveryTruncationIsAnErrorInStrictMode) {
  Decoder decoder;
  Image image;
  for (const char* name : {"var_420.jpg", "var_progressive.jpg", "var_arithmetic.jpg",
                           "var_cmyk_adobe.jpg", "var_restart_row.jpg"}) {
    const File file = read_file(name);
    for (std::size_t size = 0; size < file.size(); size += 997) {
      const File cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      for (const std::uint32_t choice : {1u, 1u | 4u}) {
        const Status status = decode_something(decoder, cut, choice, image);
        EXPECT_FALSE(status) << name << " cut to " << size;
      }
      decode_something(decoder, cut, 4, image);  // not strict: may well succeed, must not crash
    }
  }
}

TEST(DecoderFault, NoCorruptionOfAFileCrashesOrHangs) {
  constexpr int files = 300;
  constexpr int mutations = 20;
  Decoder decoder;
  Image image;
  std::mt19937 random(20);
  int failures = 0;
  for (int i = 0; i < files; ++i) {
    const File original = random_file(random);
    for (int j = 0; j < mutations; ++j) {
      File file = original;
      corrupt(file, random);
      const Status status =
          decode_something(decoder, file, static_cast<std::uint32_t>(random()), image);
      failures += status ? 0 : 1;
      EXPECT_TRUE(status || !status.error().message.empty());
    }
  }
  EXPECT_GT(failures, files * mutations / 20);  // the mutations do reach what matters
}

TEST(DecoderFault, NoCorruptionOfAnExifBlockIsAnError) {
  Decoder decoder;
  Image image;
  std::mt19937 random(21);
  const File original = read_file("var_orientation_6.jpg");
  for (int i = 0; i < 500; ++i) {
    File file = original;
    constexpr std::size_t block_start = 30;  // behind "Exif\0\0"
    file[block_start + random() % 26] = static_cast<std::byte>(random());
    ASSERT_TRUE(decode_something(decoder, file, 2, image));
  }
}

#ifdef STOKER_WITH_OPENCV
TEST(DecoderFault, NoCorruptionOfAPngCrashes) {
  Decoder decoder;
  Image image;
  std::mt19937 random(22);
  testing::internal::CaptureStderr();  // libpng complains there
  for (const char* name : {"png_called.JPEG", "png_palette.png", "png_alpha.png"}) {
    const File original = read_file(name);
    for (int i = 0; i < 200; ++i) {
      File file = original;
      corrupt(file, random);
      const Status status = decode_something(decoder, file, 0, image);
      EXPECT_TRUE(status || !status.error().message.empty());
    }
  }
  testing::internal::GetCapturedStderr();
}
#endif

}  // namespace
}  // namespace stoker::test
