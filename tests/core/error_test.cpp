#include <stoker/core/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace stoker {
namespace {

TEST(ErrorCode, HasANameAndALineOfMeaningOfItsOwn) {
  std::set<std::string_view> names, meanings;
  const int count = static_cast<int>(ErrorCode::ranks_disagree) + 1;
  for (int i = 0; i < count; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_TRUE(names.insert(name(code)).second) << name(code);
    EXPECT_TRUE(meanings.insert(meaning(code)).second) << meaning(code);
    EXPECT_GT(meaning(code).size(), 10U) << name(code);
  }
}

TEST(ErrorCode, IsNamedAsInTheEnumeration) {
  EXPECT_EQ(name(ErrorCode::invalid_argument), "invalid_argument");
  EXPECT_EQ(name(ErrorCode::empty_class), "empty_class");
  EXPECT_EQ(name(ErrorCode::crop_out_of_bounds), "crop_out_of_bounds");
  EXPECT_EQ(name(ErrorCode::device_error), "device_error");
  EXPECT_EQ(name(ErrorCode::ranks_disagree), "ranks_disagree");
}

TEST(Error, TellsCodeAndMessage) {
  const Error error(ErrorCode::not_found, "\"a.jpg\" does not exist");
  EXPECT_STREQ(error.what(), "not_found: \"a.jpg\" does not exist");
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.message(), "\"a.jpg\" does not exist");
}

TEST(Error, TellsWhatIsKnownOfSampleBatchAndEpoch) {
  const auto what = [](const SampleContext& context) {
    return std::string(Error(ErrorCode::truncated, "ends early", context).what());
  };
  SampleContext context;
  EXPECT_EQ(what(context), "truncated: ends early");
  context.sample_index = 7;
  EXPECT_EQ(what(context), "truncated: ends early (sample 7)");
  context.sample_name = "cat/1.jpg";
  context.batch = 3;
  context.epoch = 2;
  EXPECT_EQ(what(context), "truncated: ends early (sample 7 \"cat/1.jpg\", batch 3, epoch 2)");
  context.sample_index.reset();
  EXPECT_EQ(what(context), "truncated: ends early (batch 3, epoch 2)");
}

TEST(Error, KeepsItsContext) {
  SampleContext context;
  context.sample_index = 1;
  context.sample_name = "n";
  context.batch = 4;
  const Error error(ErrorCode::corrupt, "x", context);
  EXPECT_EQ(error.context().sample_index, 1U);
  EXPECT_EQ(error.context().sample_name, "n");
  EXPECT_EQ(error.context().batch, 4U);
  EXPECT_EQ(error.context().epoch, std::nullopt);
}

TEST(Error, IsARuntimeError) {
  EXPECT_THROW(throw Error(ErrorCode::timeout, "late"), std::runtime_error);
}

Status check(bool good) {
  if (!good) return fail(ErrorCode::io_error, "disk");
  return {};
}

Result<int> three_if(bool good) {
  STOKER_RETURN_IF_FAILED(check(good));
  return 3;
}

TEST(ReturnIfFailed, HandsAFailureOnAsItIs) {
  const auto result = three_if(false);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::io_error);
  EXPECT_EQ(result.error().message, "disk");
}

TEST(ReturnIfFailed, GoesOnAfterASuccess) { EXPECT_EQ(three_if(true), 3); }

TEST(ReturnIfFailed, EvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto counted = [&]() -> Status {
    STOKER_RETURN_IF_FAILED((++calls, check(false)));
    return {};
  };
  EXPECT_FALSE(counted());
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace stoker
