#include "src/engine/epoch_cursor.hpp"

namespace stoker {

void EpochCursor::restart(std::uint64_t generation, const EpochStart& start, std::uint64_t steps,
                          bool last) {
  const std::lock_guard lock(mutex_);
  position_ = {generation, 0, start, 0};
  steps_ = steps;
  last_epoch_ = last ? std::optional(start.epoch) : std::nullopt;
  started_ = true;
  changed_.notify_all();
}

void EpochCursor::announce_last(std::uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  last_epoch_ = epoch;
}

bool EpochCursor::available() const {
  if (!started_) return false;
  const std::uint64_t epoch = position_.start.epoch;
  const bool at_turn = position_.step == steps_;
  return at_turn ? batches_ > 0 && may_follow(epoch + 1) : !last_epoch_ || epoch <= *last_epoch_;
}

bool EpochCursor::may_follow(std::uint64_t epoch) const {
  return (!last_epoch_ || epoch <= *last_epoch_) && (num_epochs_ == 0 || epoch < num_epochs_);
}

std::optional<std::uint64_t> EpochCursor::guess() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t following = position_.start.epoch + 1;
  if (!started_ || batches_ == 0 || !may_follow(following)) return std::nullopt;
  return following;
}

EpochCursor::Position EpochCursor::advance() {
  if (position_.step == steps_) {
    position_.start = {position_.start.epoch + 1, 0, 0};
    position_.step = 0;
    steps_ = batches_;
  }
  const Position taken = position_;
  ++position_.step;
  ++position_.sequence;
  return taken;
}

std::optional<EpochCursor::Position> EpochCursor::try_next() {
  const std::lock_guard lock(mutex_);
  return available() ? std::optional(advance()) : std::nullopt;
}

std::optional<EpochCursor::Position> EpochCursor::try_next_in_epoch() {
  const std::lock_guard lock(mutex_);
  const bool at_first = position_.step == 0 || position_.step == steps_;
  return !at_first && available() ? std::optional(advance()) : std::nullopt;
}

std::optional<EpochCursor::Position> EpochCursor::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || available(); });
  return closed_ ? std::nullopt : std::optional(advance());
}

void EpochCursor::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace stoker
