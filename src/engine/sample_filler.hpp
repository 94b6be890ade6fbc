#pragma once

#include "src/engine/counters.hpp"
#include "src/engine/slot_ring.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/engine/producer.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace stoker {

/// Which sample of which slot is in work, and how many replacements it has had.
struct SampleRef {
  Slot* slot;
  std::uint32_t i;
  std::uint32_t attempt;
};

/// Reads and produces single samples: what readers and workers do, without their threads. Turns
/// whatever goes wrong into the batch's failure or, with OnError::skip, into another sample at the
/// same place. Stateless but for counters; thread-safe.
class SampleFiller {
 public:
  SampleFiller(const Producer& producer, const SlotLayout& layout, OnError on_error,
               std::uint64_t seed, EngineCounters& counters)
      : producer_(producer),
        layout_(layout),
        on_error_(on_error),
        seed_(seed),
        counters_(counters) {}

  /// Reads the sample, or with `skip` the first replacement that can be read. Returns false where
  /// the sample's failure was noted in the slot: it needs nothing more.
  bool read(SampleRef& ref, EncodedSample& sample) const noexcept;

  /// Produces a sample that was read. With `skip` it reads and produces replacements, here and now:
  /// rare enough not to trouble the readers again.
  void produce(SampleRef& ref, EncodedSample& sample) const noexcept;

 private:
  Status try_read(const SampleRef& ref, EncodedSample& sample) const noexcept;
  Status try_produce(const SampleRef& ref, const EncodedSample& sample,
                     ProduceCounters& counted) const noexcept;
  bool replace(SampleRef& ref, Failure failure) const noexcept;
  void note_failure(const SampleRef& ref, Failure failure) const noexcept;
  RandomKey key(const SampleRef& ref) const noexcept;

  const Producer& producer_;
  const SlotLayout& layout_;
  OnError on_error_;
  std::uint64_t seed_;
  EngineCounters& counters_;
};

/// Returns the producer's name for a sample, or why it has none.
std::string safe_name(const Producer& producer, std::uint64_t index) noexcept;

}  // namespace stoker
