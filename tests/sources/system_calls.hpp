#pragma once

#include <atomic>

namespace stoker {

/// How often the test program called `open` and `fstatat` since it started: its own definitions of
/// them count and pass on.
struct SystemCalls {
  static std::atomic<int> opens;
  static std::atomic<int> looks;
};

}  // namespace stoker
