#include "decoders/png.hpp"

#include "tests/decoders/test_images.hpp"

#include <gtest/gtest.h>

namespace stoker::test {
namespace {

TEST(Png, ReadsTheDeclaredSize) {
  EXPECT_EQ(*check_png(read_file("png_alpha.png")), (Size{18, 29}));
}

TEST(Png, IsTruncatedWhereverItIsCut) {
  const File file = read_file("png_palette.png");
  for (std::size_t size = 8; size < file.size(); ++size) {
    const File cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(code_of(check_png(cut)), ErrorCode::truncated) << size;
  }
}

TEST(Png, IsCorruptWithoutAHeaderOrWithoutPixels) {
  constexpr std::size_t type = 12;
  constexpr std::size_t width = 16;
  File file = read_file("png_palette.png");
  File without_header = file;
  without_header[type] = std::byte{'J'};
  EXPECT_EQ(code_of(check_png(without_header)), ErrorCode::corrupt);
  for (std::size_t i = width; i < width + 4; ++i) file[i] = std::byte{0};
  EXPECT_EQ(code_of(check_png(file)), ErrorCode::corrupt);
  file[width] = std::byte{0x80};
  EXPECT_EQ(code_of(check_png(file)), ErrorCode::corrupt);
}

}  // namespace
}  // namespace stoker::test
