#pragma once

#include "src/engine/slot.hpp"
#include <stoker/engine/loader.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace stoker {

/// Cuts epochs into this rank's batches: which samples its batch number k behind a place in the
/// order has. A pure function of its parameters and the sampler. `size`, `steps` and
/// `position_after` may be called by any thread, `assign` and `prepare` by one at a time: they keep
/// the order of the epoch in work and of the next one.
class BatchSchedule {
 public:
  virtual ~BatchSchedule() = default;

  /// Places in an epoch's whole order: samples, or whole batches where a batch sampler makes them.
  virtual std::uint64_t size() const = 0;
  /// The same in one epoch, where epochs differ; `size` is then the most that one can have.
  virtual std::uint64_t size_in(std::uint64_t epoch) const = 0;
  /// Places of the largest batch.
  virtual std::size_t max_batch_size() const = 0;
  /// This rank's batches from a place in the order on.
  virtual std::uint64_t steps(std::uint64_t from) const = 0;
  /// The same in one epoch, where epochs differ.
  virtual std::uint64_t steps_in(std::uint64_t epoch, std::uint64_t from) const = 0;
  /// Whether epochs have different numbers of batches.
  virtual bool epochs_differ() const = 0;
  /// The place in the order that all ranks have reached once each has had `steps` batches.
  virtual std::uint64_t position_after(std::uint64_t from, std::uint64_t steps) const = 0;
  /// Name and parameters of the sampler of the whole order.
  virtual std::string sampler_text() const = 0;

  /// Fills in indices, positions, validity and count of the batch `step` batches behind `from`.
  /// @throws what the sampler throws, and Error(invalid_argument) for an order of another size than
  /// the sampler's or an index that the source does not have; the batch then has no samples.
  virtual void assign(std::uint64_t epoch, std::uint64_t from, std::uint64_t step,
                      BatchInfo& info) = 0;
  /// Builds an epoch's order ahead, while there is nothing else to do.
  virtual void prepare(std::uint64_t epoch) = 0;
};

/// Makes the schedule for options that were resolved, over a source of `source_size` samples.
std::unique_ptr<BatchSchedule> make_schedule(const LoaderOptions& options,
                                             std::uint64_t source_size);

}  // namespace stoker
