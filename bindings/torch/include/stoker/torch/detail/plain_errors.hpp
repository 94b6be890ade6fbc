#pragma once

#include <stoker/core/error.hpp>

#include <c10/util/Exception.h>

#include <utility>

namespace stoker::torch::detail {

/// Runs code of a program. LibTorch's errors go on without the backtrace that their text has, which
/// would bury the message.
template <class Code>
decltype(auto) with_plain_errors(Code&& code) {
  try {
    return std::forward<Code>(code)();
  } catch (const c10::Error& error) {
    throw Error(ErrorCode::user_code, error.what_without_backtrace());
  }
}

}  // namespace stoker::torch::detail
