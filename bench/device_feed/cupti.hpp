#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stoker::bench {

/// Calls of the CUDA runtime and driver that were made inside the loader's calls on the thread that
/// called it, by name. A runtime call is there once more as the driver calls that it makes.
struct ApiCalls {
  std::map<std::string, std::uint64_t> all;
  std::map<std::string, std::uint64_t> synchronisations;  ///< the part that may block the host
  std::map<std::string, std::uint64_t> allocations;       ///< the part that takes or gives memory
};

/// Runs work and counts the calls that are made while InsideLoader::now(). Returns nothing, and
/// runs nothing, where this build has no CUPTI. @throws std::runtime_error where CUPTI fails.
std::optional<ApiCalls> count_api_calls(const std::function<void()>& work);

/// What a device did, by its own clock.
struct Activity {
  enum class Kind : std::uint8_t { kernel, copy_to_device };
  Kind kind = Kind::kernel;
  std::string name;  ///< of a kernel, as the compiler mangles it
  std::uint32_t stream = 0;
  std::uint64_t begin = 0;  ///< nanoseconds
  std::uint64_t end = 0;
  std::uint64_t bytes = 0;  ///< of a copy
};

/// Runs work, waits for the device, and returns all kernels and copies to a device, by begin.
/// Nothing, and nothing is run, where this build has no CUPTI. @throws std::runtime_error where
/// CUPTI fails.
std::optional<std::vector<Activity>> trace_activity(const std::function<void()>& work);

}  // namespace stoker::bench
