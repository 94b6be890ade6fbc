#include <stoker/device/cuda.hpp>

#include <stoker/core/error.hpp>

#include <gmock/gmock.h>

namespace stoker {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(CudaWithoutADevice, SaysWhatIsMissing) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "this machine has a CUDA device";
  try {
    cuda(0);
    ADD_FAILURE() << "there is a device that is not counted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AnyOf(HasSubstr("built without CUDA"), HasSubstr("no CUDA driver"),
                                    HasSubstr("the CUDA driver supports"),
                                    HasSubstr("no CUDA device that this process may use")));
  }
}

}  // namespace
}  // namespace stoker
