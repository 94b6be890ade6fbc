#pragma once

#include <stoker/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace stoker {

/// Runs `code` and returns the message of the Error that it throws; the test fails where it throws
/// none, or one with another code.
template <class Code>
std::string message_of_error(ErrorCode expected, Code&& code) {
  try {
    std::forward<Code>(code)();
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(expected)) << error.what();
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown, expected " << name(expected);
  return {};
}

}  // namespace stoker
