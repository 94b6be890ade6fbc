#include "src/sources/fingerprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stoker
