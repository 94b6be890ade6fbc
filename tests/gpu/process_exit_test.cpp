// A process may end while its loader copies and kernels run: cleanly, at once and without words.
#include "tests/gpu/gpu_test.hpp"
#include "tests/run_in_shell.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace stoker::testing {
namespace {

class ProcessExitWithCuda : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
};

TEST_P(ProcessExitWithCuda, IsCleanInTheMiddleOfALoadersWork) {
  const auto& [device, way] = GetParam();
  if (cuda_device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  const ProgramResult result = run_in_shell(STOKER_EXIT_MIDWAY " " + device + " " + way);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "");
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, ProcessExitWithCuda,
                         ::testing::Combine(::testing::Values("pinned", "unpinned"),
                                            ::testing::Values("exit", "static", "global")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace stoker::testing
