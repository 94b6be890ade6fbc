// Replaces the program's operator new, to count and to refuse allocations. libjpeg's own pools are
// allocated with malloc and do not pass here.

#include "tests/decoders/test_images.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<std::size_t> largest_allowed{std::numeric_limits<std::size_t>::max()};

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  if (bytes > largest_allowed) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace stoker::test {
namespace {

TEST(DecoderAllocation, AllocatesNothingOnceItHasSeenItsFiles) {
  std::vector<File> files;
  for (const Expected& expected : read_expected(data_folder())) {
    if (expected.name.starts_with("var_")) files.push_back(read_file(expected.name));
  }
  Decoder decoder;
  Image image;
  const auto decode_all = [&] {
    for (const File& file : files) {
      for (const bool strict : {false, true}) {
        const Result<Size> size = decoder.open(file, {.strict = strict});
        ASSERT_TRUE(size);
        const Rect lower_half{size->height / 2, 0, size->height - size->height / 2, size->width};
        ASSERT_TRUE(decoder.decode(strict ? lower_half : whole(*size), 1, image));
      }
    }
  };
  decode_all();
  const std::uint64_t before = allocations;
  decode_all();
  EXPECT_EQ(allocations, before);
  EXPECT_GT(before, 0u);
}

TEST(DecoderAllocation, ReportsThatAnImageDoesNotFitIntoMemory) {
  Decoder decoder;
  Image image;
  const File file = read_file("var_444.jpg");
  largest_allowed = 100'000;  // the image takes half a megabyte
  const Status status = decode_whole(decoder, file, {}, image);
  largest_allowed = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(code_of(status), ErrorCode::out_of_memory);
  EXPECT_TRUE(decode_whole(decoder, file, {}, image));
}

}  // namespace
}  // namespace stoker::test
