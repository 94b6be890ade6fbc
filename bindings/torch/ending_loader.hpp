#pragma once

#include <stoker/engine/loader.hpp>

#include <chrono>
#include <future>

namespace stoker::torch {

/// Ends a loader on another thread, since its end waits for the samples that workers read. Used by
/// one thread at a time; its destructor waits.
class EndingLoader {
 public:
  /// Begins to end a loader. The one before must have ended.
  void end(Loader loader);
  /// Waits for the end, for ever where `timeout` is 0; returns whether it has come.
  bool wait(std::chrono::milliseconds timeout);

 private:
  std::future<void> ended_;
};

}  // namespace stoker::torch
