// One test, since MPI is initialised once in a process.
#include <stoker/core/error.hpp>
#include <stoker/mpi.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace stoker {
namespace {

using testing::HasSubstr;

std::string message_of_construction() {
  try {
    MpiCommunicator communicator(MPI_COMM_WORLD);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_state);
    return error.message();
  }
  return "no error";
}

TEST(MpiCommunicator, SaysWhatIsWrongBeforeAndBehindMpisLife) {
  EXPECT_THAT(message_of_construction(), HasSubstr("not initialised"));
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  auto communicator = std::make_unique<MpiCommunicator>(MPI_COMM_SELF);
  MPI_Finalize();
  EXPECT_THAT(message_of_construction(), HasSubstr("finalised"));
  EXPECT_THROW(communicator->all_gather("x"), Error);
  communicator.reset();
}

}  // namespace
}  // namespace stoker

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
