#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace stoker::cli {

struct SynthOptions {
  std::filesystem::path folder;
  std::uint64_t count = 1000;
  std::uint64_t classes = 10;
  std::uint64_t seed = 0;
  /// JPEG quality of all images; nothing: each its own, as in ImageNet.
  std::optional<int> quality;
  int num_workers = 1;
  /// Write into a folder that holds something else.
  bool force = false;
};

/// What the folder holds now.
struct SynthResult {
  std::uint64_t written = 0;
  std::uint64_t kept = 0;   ///< were there from an earlier run of the same set
  std::uint64_t bytes = 0;  ///< of all images
};

/// Makes a data set of JPEGs in ImageFolder's layout, image i in class i % classes, the same bytes
/// for any number of workers. A note in the folder (stoker-synth.json) says what set it is: the
/// same call goes on where an earlier one was stopped, and a larger count adds to it. `progress`
/// gets 1 for each image, on the worker's thread, never two at a time.
/// @throws Error(invalid_argument) for options out of range and for a folder that holds something
/// else, Error(permission_denied), Error(not_found), Error(io_error) where writing fails, a full
/// disk too; what was written stays.
SynthResult make_synth_set(const SynthOptions& options,
                           const std::function<void(std::uint64_t)>& progress);

}  // namespace stoker::cli
