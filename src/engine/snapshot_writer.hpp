#pragma once

#include <stoker/core/error.hpp>
#include <stoker/engine/loader_state.hpp>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

namespace stoker {

/// Writes snapshots of a loader's state to a file, on a thread of its own: the training loop only
/// leaves word where it stands. A snapshot that comes while another is being written waits; of
/// several that wait the latest is written.
class SnapshotWriter {
 public:
  /// `run` has all of the state but epoch and position.
  SnapshotWriter(std::filesystem::path path, LoaderState run);
  /// Writes the snapshot that waits, if there is one.
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  void post(std::uint64_t epoch, std::uint64_t position);
  /// Returns, once, why a snapshot could not be written.
  std::optional<Error> take_failure();

 private:
  struct Place {
    std::uint64_t epoch;
    std::uint64_t position;
  };

  void write_snapshots();
  std::optional<Place> wait_for_place();
  void write(const Place& place);

  std::filesystem::path path_;
  LoaderState state_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Place> waiting_;
  std::optional<Error> failure_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace stoker
