#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

namespace stoker {

/// Where an epoch is entered: at its beginning, or where a saved state left it.
struct EpochStart {
  std::uint64_t epoch = 0;
  std::uint64_t from = 0;          ///< place in the epoch's whole order
  std::uint64_t first_number = 0;  ///< number of the first batch
};

/// Where the scheduler stands in the endless row of batches: epoch after epoch from the one that
/// the consumer asked for, the following ones as a guess. Thread-safe.
class EpochCursor {
 public:
  struct Position {
    std::uint64_t generation;
    std::uint64_t sequence;  ///< place in the generation's row of batches
    EpochStart start;
    std::uint64_t step;  ///< batches between the start and this one

    std::uint64_t number() const noexcept { return start.first_number + step; }
  };

  /// `batches_per_epoch` of a whole epoch; `num_epochs` 0: not known.
  EpochCursor(std::uint64_t batches_per_epoch, std::uint64_t num_epochs)
      : batches_(batches_per_epoch), num_epochs_(num_epochs) {}

  /// Starts a new generation at `start`, from where the epoch has `steps` batches.
  void restart(std::uint64_t generation, const EpochStart& start, std::uint64_t steps, bool last);
  /// Says that no epoch follows `epoch`.
  void announce_last(std::uint64_t epoch);
  /// Returns the next batch's position and moves on; nothing where none is asked for or guessed.
  std::optional<Position> try_next();
  /// The same within an epoch; nothing for its first batch, before which its order is built.
  std::optional<Position> try_next_in_epoch();
  /// As `try_next`, waiting for one; nothing once closed.
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
  std::uint64_t steps_ = 0;  ///< of the epoch in work
  Position position_{0, 0, {}, 0};
  std::optional<std::uint64_t> last_epoch_;
  bool started_ = false;
  bool closed_ = false;
};

}  // namespace stoker
