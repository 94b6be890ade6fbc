#include "bindings/torch/ending_loader.hpp"

#include <system_error>
#include <utility>

namespace stoker::torch {

void EndingLoader::end(Loader loader) {
  if (loader.options().num_workers == 0) return;  // no other thread has anything in work
  try {
    ended_ = std::async(std::launch::async, [loader = std::move(loader)]() mutable {
      const Loader ended = std::move(loader);  // the closure itself lives as long as the future
    });
  } catch (const std::system_error&) {
    // There is no thread to be had: the loader has ended here, with the closure.
  }
}

bool EndingLoader::wait(std::chrono::milliseconds timeout) {
  if (!ended_.valid()) return true;
  if (timeout.count() > 0 && ended_.wait_for(timeout) != std::future_status::ready) return false;
  ended_.get();
  return true;
}

}  // namespace stoker::torch
