#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace examples {

/// Shows how an epoch of training goes: a bar, images (or what `unit` says) a second, and
/// starvation, which is the share of time that the loop waited for batches. Draws on stderr, at
/// most ten times a second and only where that is a terminal; wiped away on destruction. Used by
/// one thread.
///
///     Progress progress("epoch 1", steps);
///     for (auto& batch : progress.watch(*loader)) {
///       ...
///       progress.advance(batch.data.size(0));
///     }
///     std::cout << progress.summary() << '\n';
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  Progress(std::string label, std::uint64_t steps, Now now = Clock::now,
           std::string unit = "images");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Passes a range on and notes how long its batches let wait. An lvalue must outlive what is
  /// returned; so must this.
  template <class Range>
  auto watch(Range&& range);

  /// Calls what gives a batch, and notes how long it took.
  template <class Next>
  auto timed(Next&& next) {
    const Timer timer(*this);
    return std::forward<Next>(next)();
  }

  /// One step more is done, with so many images.
  void advance(std::int64_t images);

  double images_per_second() const;
  /// 0 to 1.
  double starvation() const;
  /// "epoch 1: 200 steps, 1234.5 images/s, starvation 0.4 %"
  std::string summary() const;
  /// The line that is drawn.
  std::string line() const;

 private:
  /// Counts the time of its life as waiting.
  class Timer {
   public:
    explicit Timer(Progress& progress) : progress_(progress), start_(progress.now_()) {}
    ~Timer() { progress_.waited_ += progress_.now_() - start_; }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    Progress& progress_;
    Clock::time_point start_;
  };

  double seconds() const;
  std::string figures() const;

  std::string label_;
  std::uint64_t steps_;
  Now now_;
  std::string unit_;
  bool shown_;
  std::uint64_t done_ = 0;
  std::int64_t images_ = 0;
  Clock::time_point start_;
  Clock::duration waited_{0};
  Clock::time_point next_draw_;
};

/// A range whose iterators note how long they wait.
template <class Range>
class Watched {
 public:
  template <class Inner>
  class Iterator {
   public:
    Iterator(Inner inner, Progress& progress) : inner_(std::move(inner)), progress_(&progress) {}

    auto& operator*() { return *inner_; }
    Iterator& operator++() {
      progress_->timed([this] { ++inner_; });
      return *this;
    }
    /// Some iterators fetch their first batch when they are compared.
    template <class Other>
    bool operator!=(const Iterator<Other>& other) {
      return progress_->timed([&] { return inner_ != other.inner_; });
    }

   private:
    template <class>
    friend class Iterator;

    Inner inner_;
    Progress* progress_;
  };

  Watched(Range&& range, Progress& progress)
      : range_(std::forward<Range>(range)), progress_(progress) {}

  auto begin() {
    return Iterator(progress_.timed([this] { return range_.begin(); }), progress_);
  }
  auto end() { return Iterator(range_.end(), progress_); }

 private:
  Range range_;
  Progress& progress_;
};

template <class Range>
auto Progress::watch(Range&& range) {
  return Watched<Range>(std::forward<Range>(range), *this);
}

}  // namespace examples
