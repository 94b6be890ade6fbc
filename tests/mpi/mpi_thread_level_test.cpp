#include <stoker/core/error.hpp>
#include <stoker/mpi.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

TEST(MpiCommunicator, RefusesMpiForProgramsWithoutThreads) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &level);
  try {
    MpiCommunicator communicator(MPI_COMM_WORLD);
    EXPECT_NE(level, MPI_THREAD_SINGLE);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_state);
    EXPECT_THAT(error.message(), testing::HasSubstr("MPI_THREAD_SINGLE"));
  }
  MPI_Finalize();
}

}  // namespace
}  // namespace stoker

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
