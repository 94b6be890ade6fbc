#include "src/distributed/statement_message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stoker {
namespace {

TEST(StatementMessage, CarriesFactsOfAnyBytes) {
  Statement statement;
  statement.facts = {{"seed", "42"}, {"bytes", std::string("\0\xff\n", 3)}, {"empty", ""}};
  statement.data = {3, 18446744073709551615U};
  const auto message = decode(encode({.statement = statement}));
  ASSERT_TRUE(message);
  EXPECT_FALSE(message->failure);
  EXPECT_EQ(message->statement.facts, statement.facts);
  EXPECT_EQ(message->statement.data, statement.data);
}

TEST(StatementMessage, CarriesAFailure) {
  const auto message = decode(encode({.failure = "no such file"}));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->failure, "no such file");
}

TEST(StatementMessage, RefusesWhatIsNone) {
  EXPECT_FALSE(decode(""));
  EXPECT_FALSE(decode("hello"));
  EXPECT_FALSE(decode("\xa1\x64kind\x61x"));  // CBOR of {"kind": "x"}
  EXPECT_FALSE(decode(encode({.failure = "x"}) + "more"));
}

TEST(StatementMessage, RefusesEveryTruncation) {
  const std::string bytes =
      encode({.statement = {.facts = {{"seed", "42"}}, .data = DataRanks{1, 2}}});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
}

}  // namespace
}  // namespace stoker
