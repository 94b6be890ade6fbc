#include "src/engine/batch_schedule.hpp"

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace stoker {

BatchSchedule::BatchSchedule(std::shared_ptr<const Sampler> sampler, std::uint64_t source_size,
                             std::uint64_t seed, std::size_t batch_size, bool drop_last)
    : sampler_(std::move(sampler)),
      source_size_(source_size),
      seed_(seed),
      batch_size_(batch_size) {
  const std::uint64_t size = sampler_->size();
  batches_ = size / batch_size_ + (!drop_last && size % batch_size_ != 0 ? 1 : 0);
}

const Order& BatchSchedule::order_of(std::uint64_t epoch) {
  if (current_.order && current_.epoch == epoch) return *current_.order;
  prepare(epoch);
  current_ = std::exchange(next_, {});
  return *current_.order;
}

void BatchSchedule::prepare(std::uint64_t epoch) {
  if (next_.order && next_.epoch == epoch) return;
  std::shared_ptr<const Order> order = sampler_->order(seed_, epoch);
  if (!order || order->size() != sampler_->size()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("sampler {}: the order of epoch {} has {} indices, the sampler's size is {}",
                    sampler_->text(), epoch, order ? order->size() : 0, sampler_->size()));
  }
  next_ = {epoch, std::move(order)};
}

void BatchSchedule::check(const BatchInfo& info) const {
  const auto wrong = std::ranges::find_if(
      info.indices, [this](std::uint64_t index) { return index >= source_size_; });
  if (wrong == info.indices.end()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("sampler {}: index {} of a source of {} samples", sampler_->text(),
                          *wrong, source_size_));
}

void BatchSchedule::assign(std::uint64_t epoch, std::uint64_t number, BatchInfo& info) {
  info.epoch = epoch;
  info.number = number;
  info.failure.reset();
  info.count = 0;
  const Order& order = order_of(epoch);
  const std::uint64_t first = number * batch_size_;
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(batch_size_, order.size() - first));
  info.indices.resize(count);
  order.read(first, info.indices);
  check(info);
  info.positions.resize(count);
  std::iota(info.positions.begin(), info.positions.end(), first);
  info.valid.assign(count, 1);
  info.count = count;
}

void EpochCursor::restart(std::uint64_t generation, std::uint64_t epoch, bool last) {
  const std::lock_guard lock(mutex_);
  position_ = {generation, 0, epoch, 0};
  last_epoch_ = last ? std::optional(epoch) : std::nullopt;
  started_ = true;
  changed_.notify_all();
}

void EpochCursor::announce_last(std::uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  last_epoch_ = epoch;
}

bool EpochCursor::available() const {
  if (!started_ || batches_ == 0) return false;
  const bool at_turn = position_.number == batches_;
  if (at_turn) return may_follow(position_.epoch + 1);
  return !last_epoch_ || position_.epoch <= *last_epoch_;
}

bool EpochCursor::may_follow(std::uint64_t epoch) const {
  return (!last_epoch_ || epoch <= *last_epoch_) && (num_epochs_ == 0 || epoch < num_epochs_);
}

std::optional<std::uint64_t> EpochCursor::guess() {
  const std::lock_guard lock(mutex_);
  if (!started_ || batches_ == 0 || !may_follow(position_.epoch + 1)) return std::nullopt;
  return position_.epoch + 1;
}

EpochCursor::Position EpochCursor::advance() {
  if (position_.number == batches_) {
    ++position_.epoch;
    position_.number = 0;
  }
  const Position taken = position_;
  ++position_.number;
  ++position_.sequence;
  return taken;
}

std::optional<EpochCursor::Position> EpochCursor::try_next() {
  const std::lock_guard lock(mutex_);
  return available() ? std::optional(advance()) : std::nullopt;
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
