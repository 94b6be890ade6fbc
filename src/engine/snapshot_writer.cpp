#include "src/engine/snapshot_writer.hpp"

#include "src/engine/atomic_file.hpp"

#include <pthread.h>

#include <utility>

namespace stoker {

SnapshotWriter::SnapshotWriter(std::filesystem::path path, LoaderState run)
    : path_(std::move(path)), state_(std::move(run)) {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "stoker-state");
    write_snapshots();
  });
}

SnapshotWriter::~SnapshotWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SnapshotWriter::post(std::uint64_t epoch, std::uint64_t position) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = Place{epoch, position};
  }
  changed_.notify_one();
}

std::optional<Error> SnapshotWriter::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

void SnapshotWriter::write_snapshots() {
  while (const std::optional<Place> place = wait_for_place()) write(*place);
}

std::optional<SnapshotWriter::Place> SnapshotWriter::wait_for_place() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_ || stopping_; });
  return std::exchange(waiting_, std::nullopt);
}

void SnapshotWriter::write(const Place& place) {
  state_.epoch = place.epoch;
  state_.position = place.position;
  std::optional<Error> failure;
  try {
    write_file_atomically(path_, state_.json());
  } catch (const Error& error) {
    failure = error;
  } catch (const std::bad_alloc&) {
    failure.emplace(ErrorCode::out_of_memory, "memory for a snapshot could not be allocated");
  }
  if (!failure) return;
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
}

}  // namespace stoker
