#include "cli/numbers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::cli {
namespace {

/// What an option that is checked so says of a text; empty: nothing.
std::string mistake(const CLI::Validator& validator, std::string text) { return validator(text); }

TEST(Numbers, OfAnyTypeEndWhereTheTypeEnds) {
  for (const char* good : {"0", "7", "18446744073709551615"}) {
    EXPECT_EQ(mistake(whole_number(), good), "");
  }
  EXPECT_EQ(mistake(whole_number(), "-1"), "must be at least 0, not -1");
  EXPECT_EQ(mistake(whole_number(), "18446744073709551616"),
            "must be at most 18446744073709551615, not 18446744073709551616");
  EXPECT_EQ(mistake(whole_number<int>(), "2147483647"), "");
  EXPECT_EQ(mistake(whole_number<int>(), "2147483648"),
            "must be at most 2147483647, not 2147483648");
  EXPECT_EQ(mistake(whole_number<int>(-1), "-1"), "");
  EXPECT_EQ(mistake(whole_number<int>(-1), "-2"), "must be at least -1, not -2");
  EXPECT_EQ(mistake(whole_number<int>(), "-2147483649"), "must be at least 0, not -2147483649");
}

TEST(Numbers, EndWhereItIsSaid) {
  const CLI::Validator quality = whole_number<int>(1, 100);
  EXPECT_EQ(mistake(quality, "1"), "");
  EXPECT_EQ(mistake(quality, "100"), "");
  EXPECT_EQ(mistake(quality, "0"), "must be at least 1, not 0");
  EXPECT_EQ(mistake(quality, "101"), "must be at most 100, not 101");
  EXPECT_EQ(quality.get_description(), "from 1 to 100");
}

TEST(Numbers, AreWrittenInDigits) {
  for (const char* text : {"", "-", "2x", "1.5", "1e3", " 1", "+1", "--1", "0x10"}) {
    EXPECT_EQ(mistake(whole_number(), text), "must be a whole number, not " + std::string(text));
  }
}

TEST(Numbers, ArePositive) {
  for (const char* good : {"0.4", "1", "1e-3"}) EXPECT_EQ(mistake(positive_number(), good), "");
  for (const char* text : {"0", "-1", "", "x", "1x", "inf", "nan", "1e999"}) {
    EXPECT_EQ(mistake(positive_number(), text),
              "must be a number greater than 0, not " + std::string(text));
  }
}

TEST(Numbers, OfAnOptionAreRefusedWithItsName) {
  CLI::App app;
  std::vector<std::uint64_t> sizes;
  app.add_option("--sizes", sizes)->delimiter(',')->check(whole_number<std::uint64_t>(1));
  app.parse("--sizes 1,2", false);
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{1, 2}));
  try {
    app.parse("--sizes 1,0", false);
    FAIL() << "0 was taken";
  } catch (const CLI::ValidationError& error) {
    EXPECT_STREQ(error.what(), "--sizes: must be at least 1, not 0");
  }
}

}  // namespace
}  // namespace stoker::cli
