#pragma once

#include "src/engine/counters.hpp"
#include "src/engine/slot_ring.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/engine/producer.hpp>

#include <array>
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
/// same place, or a masked place where no sample may come twice. Stateless but for counters;
/// thread-safe.
class SampleFiller {
 public:
  SampleFiller(const Producer& producer, const SlotLayout& layout, const LoaderOptions& options,
               EngineCounters& counters)
      : producer_(producer),
        layout_(layout),
        on_failure_(on_failure(options)),
        seed_(options.seed),
        counters_(counters) {}

  /// Reads the sample, or with `skip` the first replacement that can be read. Returns false where
  /// the sample's failure was noted in the slot or its place masked, or where the place is padding:
  /// it needs nothing more.
  bool read(SampleRef& ref, EncodedSample& sample) const noexcept;

  /// Copies the samples of places [begin, end) at once where the producer does that. Returns the
  /// first place that is left to `read` and `produce`.
  std::uint32_t copy(Slot& slot, std::uint32_t begin, std::uint32_t end) const noexcept;

  /// Produces a sample that was read. With `skip` it reads and produces replacements, here and now:
  /// rare enough not to trouble the readers again.
  void produce(SampleRef& ref, EncodedSample& sample) const noexcept;

 private:
  enum class OnFailure : std::uint8_t { note, replace, mask };

  static OnFailure on_failure(const LoaderOptions& options) noexcept {
    if (options.on_error == OnError::fail) return OnFailure::note;
    return options.remainder == Remainder::uneven ? OnFailure::mask : OnFailure::replace;
  }
  using Places = std::array<std::byte*, SlotLayout::max_fields>;

  void find_places(const SampleRef& ref, Places& places) const noexcept;
  std::byte* place(const SampleRef& ref, std::size_t field) const noexcept {
    std::byte* const first = ref.slot->memory + layout_.offset(field);
    return layout_.is_ragged(field) ? first : first + ref.i * layout_.sample_bytes(field);
  }
  Status try_read(const SampleRef& ref, EncodedSample& sample) const noexcept;
  Status try_produce(const SampleRef& ref, const EncodedSample& sample,
                     ProduceCounters& counted) const noexcept;
  bool handle(SampleRef& ref, Failure failure) const noexcept;
  void mask(const SampleRef& ref) const noexcept;
  void fill_with_zeros(const SampleRef& ref) const noexcept;
  void replace(SampleRef& ref) const noexcept;
  void note_failure(const SampleRef& ref, Failure failure) const noexcept;
  RandomKey key(const SampleRef& ref) const noexcept;

  const Producer& producer_;
  const SlotLayout& layout_;
  OnFailure on_failure_;
  std::uint64_t seed_;
  EngineCounters& counters_;
};

/// Returns the producer's name for a sample, or why it has none.
std::string safe_name(const Producer& producer, std::uint64_t index) noexcept;

}  // namespace stoker
