#include "src/core/fingerprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace stoker {
namespace {

using testing::MatchesRegex;

std::string fingerprint(std::initializer_list<std::pair<std::string_view, std::int64_t>> samples) {
  Fingerprint result;
  for (const auto& [name, label] : samples) result.add({name}, label);
  return result.text();
}

TEST(Fingerprint, Has32HexadecimalDigits) {
  EXPECT_THAT(fingerprint({{"a", 1}}), MatchesRegex("[0-9a-f]{32}"));
}

// The digest of no bytes is xxHash's own known answer for seed 0; the others pin the form in which
// samples are hashed, since states that are kept on disk depend on it.
TEST(Fingerprint, NeverChangesForTheSameSamples) {
  EXPECT_EQ(fingerprint({}), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(fingerprint({{"cat/1.jpg", 0}, {"dog/2.jpg", 1}}), "82929cdb5ceb3bb1378eed907d8234ca");
  EXPECT_EQ(fingerprint({{"x", -1}}), "5dd1935c62ba59ca32757a02218c3801");
}

TEST(Fingerprint, TakesANameInParts) {
  Fingerprint parts;
  parts.add({"cat", "/", "1.jpg"}, 3);
  EXPECT_EQ(parts.text(), fingerprint({{"cat/1.jpg", 3}}));
}

TEST(Fingerprint, DependsOnNamesLabelsAndOrder) {
  const std::string base = fingerprint({{"a", 1}, {"b", 2}});
  EXPECT_NE(base, fingerprint({{"a", 1}, {"c", 2}}));
  EXPECT_NE(base, fingerprint({{"a", 1}, {"b", 3}}));
  EXPECT_NE(base, fingerprint({{"b", 2}, {"a", 1}}));
  EXPECT_NE(base, fingerprint({{"a", 1}}));
  EXPECT_NE(fingerprint({{"ab", 1}, {"c", 1}}), fingerprint({{"a", 1}, {"bc", 1}}));
}

TEST(Fingerprint, HashesNumbersAndBytesAsOneStream) {
  Fingerprint numbers;
  numbers.add_number(std::uint64_t{0x6867666564636261});
  Fingerprint bytes;
  bytes.add_bytes("abc");
  bytes.add_bytes("defgh");
  EXPECT_EQ(numbers.text(), bytes.text());
}

TEST(Fingerprint, TakesAFractionByItsValue) {
  const std::array<double, 2> numbers{0.0, 0.1F};
  const std::array<double, 2> same{-0.0, double{0.1F}};
  const std::array<double, 2> other{0.0, 0.1};
  EXPECT_EQ(fingerprint_of<double>(numbers), fingerprint_of<double>(same));
  EXPECT_NE(fingerprint_of<double>(numbers), fingerprint_of<double>(other));
}

TEST(Fingerprint, IsTheSameHoweverLongInputIsCut) {
  const std::string text(10'000, 'x');
  Fingerprint once;
  once.add_bytes(text);
  Fingerprint in_pieces;
  for (const char& letter : text) in_pieces.add_bytes({&letter, 1});
  EXPECT_EQ(once.text(), in_pieces.text());
}

}  // namespace
}  // namespace stoker
