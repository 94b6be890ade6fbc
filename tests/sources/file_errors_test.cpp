#include "src/sources/file_errors.hpp"

#include "tests/sources/expect_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace stoker {
namespace {

using testing::HasSubstr;

TEST(FileErrors, GiveEveryErrnoItsCode) {
  EXPECT_EQ(code_of_errno(ENOENT), ErrorCode::not_found);
  EXPECT_EQ(code_of_errno(ENOTDIR), ErrorCode::not_found);
  EXPECT_EQ(code_of_errno(EACCES), ErrorCode::permission_denied);
  EXPECT_EQ(code_of_errno(EPERM), ErrorCode::permission_denied);
  EXPECT_EQ(code_of_errno(ENOMEM), ErrorCode::out_of_memory);
  EXPECT_EQ(code_of_errno(EIO), ErrorCode::io_error);
  EXPECT_EQ(code_of_errno(EMFILE), ErrorCode::io_error);
  EXPECT_EQ(code_of_errno(ELOOP), ErrorCode::io_error);
}

TEST(FileErrors, NameThePathAndTheSystemsReason) {
  const Failure failure = file_failure("a/b c.jpg", EACCES);
  EXPECT_EQ(failure.code, ErrorCode::permission_denied);
  EXPECT_THAT(failure.message, HasSubstr("\"a/b c.jpg\""));
  EXPECT_THAT(failure.message, HasSubstr("Permission denied"));
}

TEST(FileErrors, AreThrownWithCodeAndPath) {
  const auto message =
      message_of_error(ErrorCode::io_error, [] { throw_file_error("disk/x.png", EIO); });
  EXPECT_THAT(message, HasSubstr("\"disk/x.png\""));
}

}  // namespace
}  // namespace stoker
