#include <stoker/sources/source.hpp>

#include <gtest/gtest.h>

#include <array>

namespace stoker {
namespace {

/// As a user writes one: squares, encoded as one byte.
class Squares final : public Source {
 public:
  std::uint64_t size() const override { return 10; }
  Status read(std::uint64_t index, EncodedSample& sample) const override {
    if (index == 7) return fail(ErrorCode::io_error, "seven is out");
    sample.storage.assign(1, static_cast<std::byte>(index * index));
    sample.bytes = sample.storage;
    sample.label = static_cast<std::int64_t>(index % 2);
    return {};
  }
  std::string name(std::uint64_t index) const override { return "square " + std::to_string(index); }
  std::string fingerprint() const override { return std::string(32, '0'); }
};

TEST(Source, IsWrittenWithFourFunctions) {
  const Squares squares;
  const Source& source = squares;
  EncodedSample sample;
  ASSERT_TRUE(source.read(3, sample));
  EXPECT_EQ(sample.bytes.front(), std::byte{9});
  EXPECT_EQ(sample.label, 1);
  EXPECT_EQ(source.name(3), "square 3");
}

TEST(Source, ReturnsItsFailures) {
  EncodedSample sample;
  const Status status = Squares().read(7, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::io_error);
  EXPECT_EQ(status.error().message, "seven is out");
}

TEST(Source, MayBlockAndTakesHintsUnlessItSaysOtherwise) {
  const Squares source;
  EXPECT_FALSE(source.in_memory());
  constexpr std::array<std::uint64_t, 2> coming{3, 4};
  EXPECT_NO_THROW(source.will_need(coming));
}

}  // namespace
}  // namespace stoker
