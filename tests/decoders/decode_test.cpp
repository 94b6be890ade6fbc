#include <stoker/decoders/decode.hpp>

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stoker::test {
namespace {

using Named = std::vector<std::pair<std::string, Value>>;

Value number(double value) { return {value, 1}; }
Value word(std::string text) { return {std::move(text), 1}; }

DecodeOptions made(std::vector<Value> positional, Named named) {
  Arguments arguments("decode", 1, std::move(positional), std::move(named));
  return dynamic_cast<const Decode&>(*make_decode(arguments)).options();
}

/// Reads "decode(key=value, ...)" back.
DecodeOptions parsed(const std::string& text) {
  Named named;
  for (std::size_t at = text.find('(') + 1; at < text.size();) {
    const std::size_t equals = text.find('=', at);
    const std::size_t end = text.find_first_of(",)", at);
    const std::string value = text.substr(equals + 1, end - equals - 1);
    named.emplace_back(text.substr(at, equals - at), value == "true" || value == "false"
                                                         ? word(value)
                                                         : number(std::stod(value)));
    at = text.find_first_not_of(", )", end);
  }
  return made({}, std::move(named));
}

TEST(Decode, HasTheDocumentedDefaults) {
  EXPECT_EQ(made({}, {}), DecodeOptions{});
  EXPECT_EQ(decode()->text(),
            "decode(strict=false, orient=true, scaled=false, max_pixels=178956970)");
}

TEST(Decode, TakesItsParametersByPlaceAndByName) {
  const DecodeOptions wanted{.strict = true, .orient = false, .scaled = true, .max_pixels = 77};
  EXPECT_EQ(made({word("true"), word("false"), word("true"), number(77)}, {}), wanted);
  EXPECT_EQ(made({}, {{"max_pixels", number(77)},
                      {"scaled", word("true")},
                      {"orient", word("false")},
                      {"strict", word("true")}}),
            wanted);
}

TEST(Decode, WritesTextThatGivesAnEqualStep) {
  for (int bits = 0; bits < 8; ++bits) {
    for (const std::uint64_t limit :
         {std::uint64_t{1}, default_max_pixels, std::uint64_t{1} << 53}) {
      const DecodeOptions options{.strict = (bits & 1) != 0,
                                  .orient = (bits & 2) != 0,
                                  .scaled = (bits & 4) != 0,
                                  .max_pixels = limit};
      EXPECT_EQ(parsed(decode(options)->text()), options);
    }
  }
}

TEST(Decode, RefusesALimitThatTheLanguageCannotWrite) {
  for (const std::uint64_t limit : {std::uint64_t{0}, (std::uint64_t{1} << 53) + 1}) {
    EXPECT_THROW(decode({.max_pixels = limit}), Error);
  }
  for (const double limit : {0.0, -3.0, 1.5, 1e17}) {
    EXPECT_THROW(made({}, {{"max_pixels", number(limit)}}), Error) << limit;
  }
}

TEST(Decode, RefusesUnknownAndUnfitArguments) {
  EXPECT_THROW(made({}, {{"strikt", word("true")}}), Error);
  EXPECT_THROW(made({number(1)}, {}), Error);
  EXPECT_THROW(made({}, {{"orient", word("maybe")}}), Error);
}

}  // namespace
}  // namespace stoker::test
