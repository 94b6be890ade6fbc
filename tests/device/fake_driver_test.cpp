// What a program is told where CUDA's driver is not as it should be. Each case starts a program
// that finds a driver made for it: tests/device/fake_driver/.
#include "tests/run_in_shell.hpp"

#include <gmock/gmock.h>

namespace stoker::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ProgramResult open_device(const std::string& driver_folder, const std::string& environment = "") {
  return run_in_shell(environment + " LD_LIBRARY_PATH=" + driver_folder +
                      ":$LD_LIBRARY_PATH " STOKER_OPEN_DEVICE);
}

void expect_error(const ProgramResult& result, const std::string& text) {
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_EQ(result.output, "0 devices\ndevice_error: " + text + "\ndevice_error: " + text + "\n");
}

TEST(FakeDriver, IsToldByItsVersionWhereItIsOlderThanTheToolkit) {
  for (const char* const version : {"8000", "11040"}) {
    const ProgramResult result =
        open_device(STOKER_FAKE_DRIVER, std::string("FAKE_DRIVER_VERSION=") + version);
    EXPECT_EQ(result.status, 3);
    EXPECT_THAT(result.output,
                StartsWith("0 devices\ndevice_error: the CUDA driver supports CUDA " +
                           std::string(version == std::string("8000") ? "8.0" : "11.4") +
                           ", stoker was built with "));
    EXPECT_THAT(result.output, EndsWith(": update the driver, or build with an older toolkit\n"));
  }
}

TEST(FakeDriver, IsToldApartFromNoDriverWhereThereIsNoDevice) {
  const std::string no_device = "FAKE_DRIVER_INIT=100";
  const std::string text = "there is a CUDA driver, but no CUDA device that this process may use";
  expect_error(open_device(STOKER_FAKE_DRIVER, "-u CUDA_VISIBLE_DEVICES " + no_device), text);
  expect_error(open_device(STOKER_FAKE_DRIVER, "CUDA_VISIBLE_DEVICES=7 " + no_device),
               text + " (CUDA_VISIBLE_DEVICES is \"7\")");
}

TEST(FakeDriver, IsToldByTheStatusWithWhichItDoesNotStart) {
  for (const auto& [status, name] : {std::pair("803", "cudaErrorSystemDriverMismatch"),
                                     std::pair("804", "cudaErrorCompatNotSupportedOnDevice"),
                                     std::pair("999", "cudaErrorUnknown")}) {
    const ProgramResult result =
        open_device(STOKER_FAKE_DRIVER, std::string("FAKE_DRIVER_INIT=") + status);
    EXPECT_EQ(result.status, 3);
    EXPECT_THAT(result.output, AllOf(HasSubstr("cudaGetDeviceCount failed with "), HasSubstr(name),
                                     HasSubstr(" at cuda_driver.cpp:")));
  }
}

TEST(FakeDriver, IsAnErrorWhereItLacksWhatTheRuntimeNeeds) {
  const ProgramResult result = open_device(STOKER_FAKE_DRIVER);
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.output, HasSubstr("cudaGetDeviceCount failed with "));
}

TEST(FakeDriver, IsNoneWithoutTheDriversCalls) {
  expect_error(open_device(STOKER_EMPTY_DRIVER), "there is no CUDA driver on this machine");
}

TEST(FakeDriver, IsNoneWhereItsFileIsNoLibrary) {
  expect_error(open_device(STOKER_BROKEN_DRIVER), "there is no CUDA driver on this machine");
}

}  // namespace
}  // namespace stoker::testing
