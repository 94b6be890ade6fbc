#include "src/engine/page_toucher.hpp"

#include "tests/engine/fake_producer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stoker {
namespace {

struct HeldTask final : Task {
  void run() noexcept override { gate.pass(); }
  testing::Gate gate;
};

std::size_t touched(const std::vector<std::byte>& memory) {
  return static_cast<std::size_t>(std::count(memory.begin(), memory.end(), std::byte{0}));
}

TEST(PageToucher, DoesNotWaitForWorkersThatHaveOtherThingsToDo) {
  std::vector<std::byte> memory(10'000 * 4096 + 1, std::byte{1});
  HeldTask held;
  const auto executor = make_thread_executor(1);
  executor->submit(held);
  held.gate.wait_for_arrivals(1);
  {
    PageToucher toucher(*executor);
    for (std::size_t page = 0; page <= 10'000; ++page) {  // more than the workers' queue takes
      toucher.add(memory.data() + page * 4096, page < 10'000 ? 4096 : 1);
    }
    toucher.finish();
    EXPECT_EQ(touched(memory), 10'001U);
    std::ranges::fill(memory, std::byte{2});
    held.gate.open();
  }
  EXPECT_EQ(touched(memory), 0U) << "touched when it was in use";
}

TEST(PageToucher, TouchesEachPageOnce) {
  for (const std::size_t bytes : {1, 4095, 4096, 4097, 100'000}) {
    std::vector<std::byte> memory(bytes, std::byte{1});
    const auto executor = make_thread_executor(3);
    PageToucher toucher(*executor);
    toucher.add(memory.data(), bytes);
    toucher.finish();
    EXPECT_EQ(touched(memory), (bytes + 4095) / 4096);
  }
}

}  // namespace
}  // namespace stoker
