#include <stoker/core/stream_copy.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace stoker {
namespace {

TEST(StreamCopy, CopiesAnyBytesToAnyPlaceAndNoMore) {
  std::vector<std::byte> from(1000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t offset = 0; offset < 70; offset += 3) {
    for (const std::size_t bytes : {0, 1, 15, 63, 64, 65, 128, 200, 777}) {
      std::vector<std::byte> to(1000, std::byte{0xEE});
      stream_copy(to.data() + offset, from.data() + offset / 2, bytes);
      std::vector<std::byte> expected(1000, std::byte{0xEE});
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(offset / 2), bytes,
                  expected.begin() + static_cast<std::ptrdiff_t>(offset));
      ASSERT_EQ(to, expected) << "offset " << offset << ", " << bytes << " bytes";
    }
  }
}

}  // namespace
}  // namespace stoker
