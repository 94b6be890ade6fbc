#pragma once

#include "tests/torch/datasets.hpp"
#include <stoker/core/error.hpp>

#include <cstdint>
#include <vector>

namespace stoker::torch::testing {

/// Calls again and again until it does not time out: on a busy machine a short timeout may pass
/// though nothing is stuck any more.
template <class Call>
auto past_timeouts(const Call& call) {
  for (;;) {
    try {
      return call();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout) throw;
    }
  }
}

/// Calls a function with each batch of an epoch of a loader with a short timeout.
template <class Loader, class Function>
void for_each_past_timeouts(Loader& loader, const Function& function) {
  auto it = past_timeouts([&] { return loader.begin(); });
  while (past_timeouts([&] { return it != loader.end(); })) {
    function(*it);
    past_timeouts([&] { return ++it, 0; });
  }
}

/// What an epoch's targets say, one behind the other.
template <class Loader>
std::vector<std::int64_t> targets_past_timeouts(Loader& loader) {
  std::vector<std::int64_t> all;
  for_each_past_timeouts(loader, [&](const auto& batch) {
    const auto some = numbers_in(batch.target);
    all.insert(all.end(), some.begin(), some.end());
  });
  return all;
}

}  // namespace stoker::torch::testing
