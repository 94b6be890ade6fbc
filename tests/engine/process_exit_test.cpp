// A process may end in the middle of its loader's work: it ends cleanly, at once and without words.
#include "tests/run_in_shell.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace stoker::testing {
namespace {

class ProcessExit : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ProcessExit, IsCleanInTheMiddleOfALoadersWork) {
  const auto& [device, way] = GetParam();
  const ProgramResult result = run_in_shell(STOKER_EXIT_MIDWAY " " + device + " " + way);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "");
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, ProcessExit,
                         ::testing::Combine(::testing::Values("host", "simulated"),
                                            ::testing::Values("exit", "static", "global")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace stoker::testing
