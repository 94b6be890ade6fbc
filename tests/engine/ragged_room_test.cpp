#include "src/engine/ragged_room.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace stoker {
namespace {

struct Room {
  std::vector<std::byte> memory = std::vector<std::byte>(1000 * 64);
  RaggedRoom room;

  Room(std::size_t blocks, std::size_t each, std::size_t samples)
      : room(memory.data(), blocks * 64, each * 64, samples) {}
  std::byte* take(std::uint32_t sample, std::size_t blocks) {
    return room.take(sample, blocks * 64);
  }
};

TEST(RaggedRoom, KeepsWhatEachSampleCanHave) {
  Room room(16, 2, 4);  // 8 blocks beyond
  EXPECT_NE(room.take(0, 7), nullptr);
  EXPECT_EQ(room.take(1, 6), nullptr) << "3 beyond are left";
  EXPECT_NE(room.take(1, 5), nullptr);
  EXPECT_EQ(room.take(2, 3), nullptr);
  EXPECT_NE(room.take(2, 2), nullptr);
  EXPECT_NE(room.take(3, 1), nullptr);
  EXPECT_EQ(room.room.used(), 16U * 64);
}

TEST(RaggedRoom, UsesAgainWhatASampleTook) {
  Room room(16, 2, 4);
  std::byte* const first = room.take(0, 4);
  EXPECT_EQ(room.take(0, 3), first);
  EXPECT_EQ(room.take(0, 2), first);
  EXPECT_EQ(room.room.used(), 4U * 64);
  EXPECT_NE(room.take(0, 5), first);
  EXPECT_EQ(room.take(0, 6), nullptr) << "1 beyond is left, and what was taken lies elsewhere";
  EXPECT_EQ(room.room.used(), 9U * 64);
}

TEST(RaggedRoom, IsEmptyAfterClearing) {
  Room room(8, 2, 4);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_NE(room.take(i, 2), nullptr);
  room.room.clear();
  EXPECT_EQ(room.room.used(), 0U);
  EXPECT_EQ(room.take(3, 2), room.memory.data());
}

TEST(RaggedRoom, RefusesSizesThatWouldOverflow) {
  Room room(8, 2, 4);
  EXPECT_EQ(room.room.take(0, ~std::size_t{0}), nullptr);
  EXPECT_EQ(room.room.take(0, ~std::size_t{0} - 100), nullptr);
  EXPECT_EQ(room.room.used(), 0U);
}

TEST(RaggedRoom, GivesNoByteTwiceToThreads) {
  constexpr std::uint32_t samples = 64;
  Room room(samples * 3, 2, samples);
  std::vector<std::byte*> taken(samples);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = t; i < samples; i += 4) {
        taken[i] = room.take(i, 5);
        if (taken[i] == nullptr) taken[i] = room.take(i, 2);
        if (taken[i] != nullptr) std::fill_n(taken[i], 2 * 64, static_cast<std::byte>(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(room.room.used(), samples * 3 * 64);
  for (std::uint32_t i = 0; i < samples; ++i) {
    ASSERT_NE(taken[i], nullptr);
    for (std::size_t b = 0; b < 2 * 64; ++b) ASSERT_EQ(taken[i][b], static_cast<std::byte>(i));
  }
}

}  // namespace
}  // namespace stoker
