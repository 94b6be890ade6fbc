#include <stoker/core/aligned_buffer.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <new>

namespace stoker {
namespace {

TEST(AlignedBuffer, IsEmptyAtFirst) {
  const AlignedBuffer buffer;
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.capacity(), 0U);
}

TEST(AlignedBuffer, IsAlignedAndWritableAtEverySize) {
  for (const std::size_t bytes : {1, 63, 64, 65, 1000, 1 << 20}) {
    AlignedBuffer buffer;
    buffer.reserve(bytes);
    EXPECT_GE(buffer.capacity(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % AlignedBuffer::alignment, 0U);
    std::memset(buffer.data(), 0x5A, bytes);
    EXPECT_EQ(buffer.data()[bytes - 1], 0x5A);
  }
}

TEST(AlignedBuffer, GrowsButNeverShrinks) {
  AlignedBuffer buffer;
  buffer.reserve(1000);
  const std::uint8_t* place = buffer.data();
  const std::size_t capacity = buffer.capacity();
  buffer.reserve(10);
  buffer.reserve(capacity);
  EXPECT_EQ(buffer.data(), place);
  EXPECT_EQ(buffer.capacity(), capacity);
  buffer.reserve(capacity + 1);
  EXPECT_GT(buffer.capacity(), capacity);
}

TEST(AlignedBuffer, MovesItsMemoryAndLeavesAnEmptyOneBehind) {
  AlignedBuffer first;
  first.reserve(100);
  const std::uint8_t* place = first.data();
  AlignedBuffer second(std::move(first));
  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_EQ(first.capacity(), 0U);
  AlignedBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), place);
  EXPECT_EQ(second.data(), nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(second.capacity(), 0U);
}

TEST(AlignedBuffer, IsUsableAgainAfterItWasMovedFrom) {
  AlignedBuffer first;
  first.reserve(100);
  const AlignedBuffer second(std::move(first));
  first.reserve(200);  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_GE(first.capacity(), 200U);
  EXPECT_NE(first.data(), second.data());
}

}  // namespace
}  // namespace stoker
