#include <stoker/core/arguments.hpp>

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Value value(double number, std::size_t column = 10) { return {number, column}; }
Value value(const char* word, std::size_t column = 10) { return {std::string(word), column}; }
Value value(std::vector<Value> list, std::size_t column = 10) { return {std::move(list), column}; }

using Named = std::vector<std::pair<std::string, Value>>;

Arguments arguments(std::vector<Value> positional, Named named = {}) {
  return Arguments("resize", 3, std::move(positional), std::move(named));
}

template <class Code>
std::string mistake(const Code& code) {
  try {
    code();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_pipeline);
    return error.message();
  }
  return "nothing was thrown";
}

TEST(Arguments, AreTakenByPlaceInTheOrderOfTheParameters) {
  Arguments given = arguments({value(7), value(0.5), value("true"), value("bilinear")});
  EXPECT_EQ(given.integer("a"), 7);
  EXPECT_EQ(given.number("b"), 0.5);
  EXPECT_TRUE(given.boolean("c"));
  EXPECT_EQ(given.word("d"), "bilinear");
  EXPECT_NO_THROW(given.finish());
}

TEST(Arguments, AreTakenByNameInAnyOrder) {
  Arguments given = arguments({}, {{"b", value(2)}, {"a", value(1)}});
  EXPECT_EQ(given.integer("a"), 1);
  EXPECT_EQ(given.integer("b"), 2);
  EXPECT_NO_THROW(given.finish());
}

TEST(Arguments, FallBackToDefaults) {
  Arguments given = arguments({});
  EXPECT_EQ(given.number("a", 1.5), 1.5);
  EXPECT_EQ(given.integer("b", 2), 2);
  EXPECT_FALSE(given.boolean("c", false));
  EXPECT_EQ(given.word("d", "x"), "x");
  EXPECT_THAT(given.numbers("e", std::vector{0.5}), ElementsAre(0.5));
  EXPECT_THAT(given.integers("f", std::vector<std::int64_t>{3, 4}), ElementsAre(3, 4));
}

TEST(Arguments, TakeOneNumberForAListToo) {
  Arguments given = arguments({value(7), value({value(1), value(2.5)})});
  EXPECT_THAT(given.numbers("a"), ElementsAre(7));
  EXPECT_THAT(given.numbers("b"), ElementsAre(1, 2.5));
}

TEST(Arguments, NameOperationParameterAndColumnOfAMistake) {
  EXPECT_THAT(mistake([] { arguments({value("big", 8)}).number("size"); }),
              AllOf(HasSubstr("resize: size must be a number"), HasSubstr("(column 8)")));
  EXPECT_THAT(mistake([] {
                arguments({}, {{"size", value("big", 21)}}).number("size");
              }),
              HasSubstr("(column 21)"));
  EXPECT_THAT(mistake([] { arguments({}).number("size"); }),
              AllOf(HasSubstr("size is missing"), HasSubstr("(column 3)")));
}

TEST(Arguments, RefuseOtherKindsOfValues) {
  EXPECT_THAT(mistake([] { arguments({value(1.5)}).integer("a"); }), HasSubstr("whole number"));
  EXPECT_THAT(mistake([] { arguments({value(1e300)}).integer("a"); }), HasSubstr("whole number"));
  EXPECT_THAT(mistake([] { arguments({value(1)}).word("a"); }), HasSubstr("must be a word"));
  EXPECT_THAT(mistake([] { arguments({value("yes")}).boolean("a"); }),
              HasSubstr("must be true or false"));
  EXPECT_THAT(mistake([] { arguments({value("x")}).numbers("a"); }), HasSubstr("list of numbers"));
  EXPECT_THAT(mistake([] { arguments({value({value("x")})}).numbers("a"); }),
              HasSubstr("numbers only"));
  EXPECT_THAT(mistake([] { arguments({value({value(0.5)})}).integers("a"); }),
              HasSubstr("whole numbers"));
}

TEST(Arguments, RefuseAParameterGivenTwice) {
  EXPECT_THAT(mistake([] {
                arguments({}, {{"a", value(1)}, {"a", value(2)}}).number("a");
              }),
              HasSubstr("a is given twice"));
  EXPECT_THAT(mistake([] {
                arguments({value(1)}, {{"a", value(2)}}).number("a");
              }),
              HasSubstr("a is given by place and by name"));
}

TEST(Arguments, RefuseWhatNobodyTook) {
  Arguments unknown = arguments({}, {{"sise", value(1, 12)}});
  unknown.integer("size", 1);
  EXPECT_THAT(
      mistake([&] { unknown.finish(); }),
      AllOf(HasSubstr("no parameter sise"), HasSubstr("it has: size"), HasSubstr("(column 12)")));
  Arguments too_many = arguments({value(1), value(2, 15)});
  too_many.integer("size");
  EXPECT_THAT(mistake([&] { too_many.finish(); }),
              AllOf(HasSubstr("at most 1"), HasSubstr("2 are given"), HasSubstr("(column 15)")));
}

TEST(SquareOrSize, TakesOneNumberOrHeightAndWidth) {
  Arguments square = arguments({value(224)});
  EXPECT_EQ(square_or_size(square, "size"), (Size{224, 224}));
  Arguments both = arguments({value({value(32), value(48)})});
  EXPECT_EQ(square_or_size(both, "size"), (Size{32, 48}));
}

TEST(SquareOrSize, RefusesOtherCountsAndSizes) {
  for (const Value& bad : {value(std::vector<Value>{}), value({value(1), value(2), value(3)}),
                           value(0.0), value(-5), value(65536)}) {
    Arguments given = arguments({bad});
    EXPECT_THAT(mistake([&] { square_or_size(given, "size"); }), HasSubstr("size must be"));
  }
}

TEST(ArgumentText, WritesNumbersSoThatTheyAreReadBackEqual) {
  EXPECT_EQ(number_text(224), "224");
  EXPECT_EQ(number_text(0.08), "0.08");
  EXPECT_EQ(std::stod(number_text(1.0 / 3.0)), 1.0 / 3.0);
  EXPECT_EQ(size_text({32, 48}), "[32, 48]");
  EXPECT_EQ(list_text({0.08, 1}), "[0.08, 1]");
  EXPECT_EQ(list_text({}), "[]");
}

}  // namespace
}  // namespace stoker
