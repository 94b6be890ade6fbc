#pragma once

#include "src/engine/slot.hpp"
#include <stoker/samplers/sampler.hpp>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace stoker {

/// Cuts epochs into batches: which samples batch k of epoch e has. A pure function of its
/// parameters and the sampler; keeps the order of the epoch in work and of the next one. One thread
/// at a time.
class BatchSchedule {
 public:
  /// `source_size` bounds the indices that the sampler may give.
  BatchSchedule(std::shared_ptr<const Sampler> sampler, std::uint64_t source_size,
                std::uint64_t seed, std::size_t batch_size, bool drop_last);

  std::uint64_t batches_per_epoch() const noexcept { return batches_; }
  /// Fills in everything but generation and sequence. @throws what the sampler throws, and
  /// Error(invalid_argument) for an order of another size than the sampler's or an index that the
  /// source does not have; the batch then has no samples.
  void assign(std::uint64_t epoch, std::uint64_t number, BatchInfo& info);
  /// Builds an epoch's order ahead, while there is nothing else to do.
  void prepare(std::uint64_t epoch);

 private:
  struct EpochOrder {
    std::uint64_t epoch = 0;
    std::shared_ptr<const Order> order;
  };
  const Order& order_of(std::uint64_t epoch);
  void check(const BatchInfo& info) const;

  std::shared_ptr<const Sampler> sampler_;
  std::uint64_t source_size_;
  std::uint64_t seed_;
  std::size_t batch_size_;
  std::uint64_t batches_;
  EpochOrder current_, next_;
};

/// Where the scheduler stands in the endless row of batches: epoch after epoch from the one that
/// the consumer asked for, the following ones as a guess. Thread-safe.
class EpochCursor {
 public:
  struct Position {
    std::uint64_t generation;
    std::uint64_t sequence;
    std::uint64_t epoch;
    std::uint64_t number;
  };

  /// `num_epochs` 0: not known.
  EpochCursor(std::uint64_t batches_per_epoch, std::uint64_t num_epochs)
      : batches_(batches_per_epoch), num_epochs_(num_epochs) {}

  /// Starts a new generation at the beginning of `epoch`.
  void restart(std::uint64_t generation, std::uint64_t epoch, bool last);
  /// Says that no epoch follows `epoch`.
  void announce_last(std::uint64_t epoch);
  /// Returns the next batch's position and moves on; nothing where none is asked for or guessed.
  std::optional<Position> try_next();
  /// The same, waiting for one; nothing once closed.
  std::optional<Position> next();
  /// Returns the epoch that will follow the one in work, if one is asked for or guessed.
  std::optional<std::uint64_t> guess();
  void close();

 private:
  bool available() const;
  bool may_follow(std::uint64_t epoch) const;
  Position advance();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t batches_;
  std::uint64_t num_epochs_;
  Position position_{0, 0, 0, 0};
  std::optional<std::uint64_t> last_epoch_;
  bool started_ = false;
  bool closed_ = false;
};

}  // namespace stoker
