#pragma once

#include <stoker/core/error.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace stoker::testing {

/// Runs what must throw, and returns the error's text.
inline std::string error_of(const std::function<void()>& code, ErrorCode expected) {
  try {
    code();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace stoker::testing
