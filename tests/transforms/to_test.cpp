#include <stoker/transforms/to.hpp>

#include "tests/transforms/step_reader.hpp"
#include <stoker/core/error.hpp>

#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

TEST(To, TakesLayoutAndScaleOrLeavesThemOut) {
  EXPECT_EQ(read_step("to(float16)")->text(), to(DType::float16)->text());
  EXPECT_EQ(read_step("to(float32, NHWC)")->text(), to(DType::float32, Layout::NHWC)->text());
  EXPECT_EQ(read_step("to(dtype=bfloat16, layout=NCHW, scale=false)")->text(),
            to(DType::bfloat16, Layout::NCHW, false)->text());
  EXPECT_EQ(read_step("to(uint8, scale=false)")->text(), to(DType::uint8, {}, false)->text());
}

TEST(To, WritesALayoutOnlyWhereItWasGiven) {
  EXPECT_EQ(to(DType::float16)->text(), "to(dtype=float16, scale=true)");
  EXPECT_EQ(to(DType::float32, Layout::NHWC, false)->text(),
            "to(dtype=float32, layout=NHWC, scale=false)");
}

TEST(To, RefusesTypesThatBatchesOfImagesDoNotHave) {
  for (const DType dtype : {DType::int32, DType::int64, DType::float64}) {
    try {
      to(dtype);
      ADD_FAILURE() << "took " << name(dtype);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace stoker::testing
