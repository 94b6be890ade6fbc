#include "src/sources/list_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::HasSubstr;

void expect_line(std::string_view line, std::string_view path, std::int64_t label) {
  const auto parsed = parse_list_line(line);
  ASSERT_TRUE(parsed) << line << ": " << parsed.error();
  EXPECT_EQ(parsed->path, path) << line;
  EXPECT_EQ(parsed->label, label) << line;
}

std::string mistake(std::string_view line) {
  const auto parsed = parse_list_line(line);
  return parsed ? "read as " + parsed->path : parsed.error();
}

TEST(ListLine, DividesPathAndLabelByACommaATabOrBlanks) {
  expect_line("a.jpg 3", "a.jpg", 3);
  expect_line("a.jpg   3", "a.jpg", 3);
  expect_line("a.jpg\t3", "a.jpg", 3);
  expect_line("a.jpg,3", "a.jpg", 3);
  expect_line("a.jpg , 3", "a.jpg", 3);
  expect_line("a.jpg, 3", "a.jpg", 3);
  expect_line("  a.jpg 3 \r", "a.jpg", 3);
}

TEST(ListLine, KeepsBlanksAndCommasInThePath) {
  expect_line("my holiday photo.jpg 3", "my holiday photo.jpg", 3);
  expect_line("a, b.jpg,3", "a, b.jpg", 3);
  expect_line("a,.jpg 3", "a,.jpg", 3);
  expect_line("#1.jpg 3", "#1.jpg", 3);
  expect_line("a \"b\".jpg 3", "a \"b\".jpg", 3);
}

TEST(ListLine, ReadsQuotedFieldsAsCsvWritesThem) {
  expect_line("\"a, b.jpg\",3", "a, b.jpg", 3);
  expect_line("\"a \"\"b\"\".jpg\", 3", "a \"b\".jpg", 3);
  expect_line("\"a.jpg\",\"3\"", "a.jpg", 3);
  expect_line("a.jpg,\"3\"", "a.jpg", 3);
  expect_line("\"a b.jpg\" 3", "a b.jpg", 3);
}

TEST(ListLine, TakesLabelsOf64Bits) {
  expect_line("a.jpg -1", "a.jpg", -1);
  expect_line("a.jpg 9223372036854775807", "a.jpg", std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(mistake("a.jpg 9223372036854775808"), HasSubstr("does not fit into 64 bits"));
}

TEST(ListLine, SaysWhatIsWrong) {
  EXPECT_THAT(mistake("a.jpg"), HasSubstr("there is no label"));
  EXPECT_THAT(mistake(",3"), HasSubstr("there is no path"));
  EXPECT_THAT(mistake("\"\",3"), HasSubstr("there is no path"));
  EXPECT_THAT(mistake("a.jpg cat"), HasSubstr("\"cat\" is not a whole number"));
  EXPECT_THAT(mistake("a.jpg 1.5"), HasSubstr("\"1.5\" is not a whole number"));
  EXPECT_THAT(mistake("a.jpg,"), HasSubstr("\"\" is not a whole number"));
  EXPECT_THAT(mistake("\"a.jpg,3"), HasSubstr("a quote is not closed"));
  EXPECT_THAT(mistake("\"a.jpg\""), HasSubstr("must be followed by"));
  EXPECT_THAT(mistake("\"a.jpg\"3"), HasSubstr("must be followed by"));
  EXPECT_THAT(mistake("\"a.jpg\",,3"), HasSubstr("must be followed by"));
}

TEST(ListLine, KnowsAHeaderFromASampleWithAMistake) {
  for (const char* header :
       {"path,label", "image_path,class id", "\"file\",\"label\"", "filename\tlabel"}) {
    EXPECT_TRUE(is_list_header(header)) << header;
  }
  for (const char* line : {"a.jpg,cat", "dir/a,cat", "a.jpg,3", "a.jpg 3", "path label", "path,"}) {
    EXPECT_FALSE(is_list_header(line)) << line;
  }
}

}  // namespace
}  // namespace stoker
