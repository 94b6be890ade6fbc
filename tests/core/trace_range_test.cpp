#include "src/core/trace_range.hpp"

#ifdef STOKER_WITH_NVTX
#include "tests/run_in_shell.hpp"
#endif

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <type_traits>

namespace stoker {
namespace {

#ifndef STOKER_WITH_NVTX
static_assert(std::is_empty_v<TraceRange>);
#endif
static_assert(!std::is_copy_constructible_v<TraceRange> && !std::is_copy_assignable_v<TraceRange>);

TEST(TraceRange, NeedsNoProfiler) {
  const TraceRange outer(TraceStage::next);
  const TraceRange inner(TraceStage::copy, 7);
}

#ifdef STOKER_WITH_NVTX
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramResult;
using testing::run_in_shell;

ProgramResult run_traced(const std::string& times) {
  return run_in_shell("NVTX_INJECTION64_PATH=" STOKER_COUNTING_PROFILER " " STOKER_TRACED " " +
                      times);
}

TEST(TraceRange, ShowsAProfilerEachStageByNameInItsDomain) {
  const ProgramResult result = run_traced("2");
  EXPECT_EQ(result.status, 0);
  // Three threads go through read and produce; their order among each other is free.
  EXPECT_THAT(result.output, HasSubstr("stoker/schedule: 2 begun, 2 ended, numbers 200 201\n"));
  EXPECT_THAT(result.output, HasSubstr("stoker/read: 6 begun, 6 ended, numbers "));
  EXPECT_THAT(result.output, HasSubstr("stoker/produce: 6 begun, 6 ended, numbers 0 0 0 0 0 0\n"));
  EXPECT_THAT(result.output, HasSubstr("stoker/copy: 2 begun, 2 ended, numbers 300 301\n"));
  EXPECT_THAT(result.output, HasSubstr("stoker/next: 2 begun, 2 ended, numbers 100 101\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("a range")));  // no mistakes
}

TEST(TraceRange, RegistersItsNamesOnceForAllThreads) {
  for (int round = 0; round < 10; ++round) {
    const std::string output = run_traced("1").output;
    EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 5) << output;
  }
}

TEST(TraceRange, IsSilentWithoutAProfiler) {
  const ProgramResult result = run_in_shell(STOKER_TRACED " 3");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "");
}

TEST(TraceRange, GoesOnWithoutAProfilerThatCannotBeLoaded) {
  const ProgramResult result =
      run_in_shell("NVTX_INJECTION64_PATH=/nowhere/profiler.so " STOKER_TRACED " 3");
  EXPECT_EQ(result.status, 0);
}
#endif

}  // namespace
}  // namespace stoker
