#pragma once

#include <stoker/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace stoker::torch::detail {

/// The batch at which a walk over an epoch stands. It is fetched when it is first looked at, as
/// LibTorch's loaders do: so an error of any batch, the first one too, is thrown within the loop,
/// which can go on behind it.
template <class Batch>
class CurrentBatch {
 public:
  /// Stands at a new epoch's first batch.
  void restart() {
    batch_.reset();
    state_ = State::first;
    ++epoch_;
  }
  /// Counts the epochs that were begun.
  std::uint64_t epoch() const noexcept { return epoch_; }

  /// Returns the batch; null at the end. Where the last fetch failed, the one behind is fetched.
  /// @throws Error(invalid_state) where another epoch than this one was begun since.
  template <class Fetch>
  Batch* look(std::uint64_t epoch, Fetch fetch) {
    check(epoch);
    if (state_ != State::there) take(fetch);
    return batch_ ? &*batch_ : nullptr;
  }

  /// @throws as `look`, and Error(invalid_state) at the end.
  template <class Fetch>
  void advance(std::uint64_t epoch, Fetch fetch) {
    check(epoch);
    if (state_ == State::first) take(fetch);
    if (state_ == State::there && !batch_) throw_past_the_end();
    take(fetch);
  }

  [[noreturn]] static void throw_past_the_end() {
    throw Error(ErrorCode::invalid_state, "the iterator is at the end: there is no batch");
  }

 private:
  enum class State : std::uint8_t { first, there, failed };

  void check(std::uint64_t epoch) const {
    if (epoch == epoch_) return;
    throw Error(ErrorCode::invalid_state, "another epoch was begun since; this one is over");
  }

  template <class Fetch>
  void take(Fetch fetch) {
    batch_.reset();  // its slot may be needed
    state_ = State::failed;
    batch_ = fetch();
    state_ = State::there;
  }

  std::optional<Batch> batch_;
  State state_ = State::first;
  std::uint64_t epoch_ = 0;
};

/// An input iterator over an epoch of a range, which does what a CurrentBatch does. A default one
/// is the end, where `*`, `->` and `++` throw Error(invalid_state).
template <class Range, class Batch>
class BatchIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;
  using pointer = Batch*;
  using reference = Batch&;

  BatchIterator() = default;
  BatchIterator(Range* range, std::uint64_t epoch) : range_(range), epoch_(epoch) {}
  Batch& operator*() const { return *operator->(); }
  Batch* operator->() const {
    Batch* const found = batch();
    if (found == nullptr) CurrentBatch<Batch>::throw_past_the_end();
    return found;
  }
  BatchIterator& operator++() {
    if (range_ == nullptr) CurrentBatch<Batch>::throw_past_the_end();
    range_->advance(epoch_);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const BatchIterator& a, const BatchIterator& b) {
    return a.batch() == b.batch();
  }
  friend bool operator!=(const BatchIterator& a, const BatchIterator& b) { return !(a == b); }

 private:
  Batch* batch() const { return range_ == nullptr ? nullptr : range_->look(epoch_); }

  Range* range_ = nullptr;
  std::uint64_t epoch_ = 0;
};

}  // namespace stoker::torch::detail
