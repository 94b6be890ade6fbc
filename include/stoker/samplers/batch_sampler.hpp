#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stoker {

/// The batches of one epoch: runs of sample indices, one behind the other. Immutable; may be read
/// by several threads at the same time.
class BatchOrder {
 public:
  virtual ~BatchOrder() = default;
  /// Number of batches.
  virtual std::uint64_t size() const = 0;
  /// Number of samples in the batches before `batch`, which may be size(): then in all of them. A
  /// batch has at least 1.
  virtual std::uint64_t first(std::uint64_t batch) const = 0;
  /// Fills `out`, which is first(batch + 1) - first(batch) long, with a batch's indices.
  virtual void read(std::uint64_t batch, std::span<std::uint64_t> out) const = 0;
};

/// Decides which samples make a batch together, where that is more than to cut an order into equal
/// pieces: a pure function of seed and epoch. Among ranks whole batches are split. Immutable and
/// usable alone, without a loader.
class BatchSampler {
 public:
  virtual ~BatchSampler() = default;
  /// Number of batches in an epoch, the same in each unless epochs_differ(): then the most that one
  /// can have.
  virtual std::uint64_t size() const = 0;
  /// True where epochs have different numbers of batches. No epoch is then begun before it is asked
  /// for.
  virtual bool epochs_differ() const { return false; }
  /// Number of batches in that epoch.
  virtual std::uint64_t size_of([[maybe_unused]] std::uint64_t epoch) const { return size(); }
  /// Samples of the largest batch.
  virtual std::size_t max_batch_size() const = 0;
  /// Builds an epoch's batches. @throws std::bad_alloc
  virtual std::shared_ptr<const BatchOrder> order(std::uint64_t seed,
                                                  std::uint64_t epoch) const = 0;
  /// Name and parameters: equal texts mean equal batches.
  virtual std::string text() const = 0;
};

}  // namespace stoker
