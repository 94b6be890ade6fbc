#include "src/engine/sample_filler.hpp"

#include "src/core/trace_range.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace stoker {
namespace {

/// Attempts that the counter of random numbers can tell apart.
constexpr std::uint32_t max_attempts = 16;
/// The step of a sample's random numbers that chooses replacements; no pipeline has as many steps.
constexpr std::uint32_t replacement_step = 0xFFFF;

/// Runs code that may be the user's and makes a failure of what it throws.
template <class Code>
Status guarded(Code code) noexcept {
  try {
    return code();
  } catch (const Error& error) {
    return fail(error.code(), error.message());
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, "memory for the sample could not be allocated");
  } catch (const std::exception& error) {
    return fail(ErrorCode::user_code, error.what());
  } catch (...) {
    return fail(ErrorCode::user_code, "something was thrown that is no std::exception");
  }
}

}  // namespace

std::string safe_name(const Producer& producer, std::uint64_t index) noexcept {
  std::string name;
  const Status status = guarded([&]() -> Status {
    name = producer.name(index);
    return {};
  });
  return status ? name : "(no name: " + status.error().message + ")";
}

RandomKey SampleFiller::key(const SampleRef& ref) const noexcept {
  const BatchInfo& info = ref.slot->info;
  return {seed_, info.epoch, info.positions[ref.i], ref.attempt};
}

Status SampleFiller::try_read(const SampleRef& ref, EncodedSample& sample) const noexcept {
  ref.slot->watches[ref.i].enter(SamplePhase::reading);
  sample.bytes = {};  // the last sample's, which a source that forgets to set them must not get
  const Status status =
      guarded([&] { return producer_.read(ref.slot->info.indices[ref.i], sample); });
  ref.slot->watches[ref.i].enter(SamplePhase::read);
  if (status && !sample.bytes.empty()) counters_.bytes_read.add(sample.bytes.size());
  return status;
}

Status SampleFiller::try_produce(const SampleRef& ref, const EncodedSample& sample,
                                 ProduceCounters& counted) const noexcept {
  ref.slot->watches[ref.i].enter(SamplePhase::producing);
  Places places;
  find_places(ref, places);
  return guarded([&] {
    return producer_.produce(ref.slot->info.indices[ref.i], sample,
                             {{places.data(), layout_.fields().size()}, ref.slot->rooms, ref.i},
                             key(ref), counted);
  });
}

void SampleFiller::find_places(const SampleRef& ref, Places& places) const noexcept {
  for (std::size_t f = 0; f < layout_.fields().size(); ++f) places[f] = place(ref, f);
}

std::uint32_t SampleFiller::copy(Slot& slot, std::uint32_t begin,
                                 std::uint32_t end) const noexcept {
  const std::uint32_t last = std::min(end, static_cast<std::uint32_t>(slot.info.samples));
  if (begin >= last) return begin;
  const std::span<const std::uint64_t> indices(slot.info.indices);
  const TraceRange range(TraceStage::produce, indices[begin]);
  Places places;
  find_places({&slot, begin, 0}, places);
  const auto run = indices.subspan(begin, last - begin);
  if (!producer_.copy(run, {places.data(), layout_.fields().size()})) return begin;
  for (std::uint32_t i = begin; i < last; ++i) slot.watches[i].enter(SamplePhase::done);
  return last;
}

bool SampleFiller::read(SampleRef& ref, EncodedSample& sample) const noexcept {
  const TraceRange range(TraceStage::read, ref.slot->info.indices[ref.i]);
  if (ref.i >= ref.slot->info.samples) {
    fill_with_zeros(ref);
    ref.slot->watches[ref.i].enter(SamplePhase::done);
    return false;
  }
  for (;;) {
    Status status = try_read(ref, sample);
    if (status) return true;
    if (handle(ref, std::move(status.error()))) continue;
    ref.slot->watches[ref.i].enter(SamplePhase::done);
    return false;
  }
}

void SampleFiller::produce(SampleRef& ref, EncodedSample& sample) const noexcept {
  const TraceRange range(TraceStage::produce, ref.slot->info.indices[ref.i]);
  ProduceCounters counted;
  for (;;) {
    Status status = try_produce(ref, sample, counted);
    if (status || !handle(ref, std::move(status.error())) || !read(ref, sample)) break;
  }
  if (counted.resized_on_cpu != 0) counters_.resized_on_cpu.add(counted.resized_on_cpu);
  if (counted.decode_nanoseconds != 0) {
    counters_.pixels_decoded.add(counted.pixels_decoded);
    counters_.decode_busy.add(counted.decode_nanoseconds);
  }
  ref.slot->watches[ref.i].enter(SamplePhase::done);
}

/// Returns whether another sample was chosen for the place, which is to be tried now.
bool SampleFiller::handle(SampleRef& ref, Failure failure) const noexcept {
  counters_.samples_failed.add();
  if (on_failure_ == OnFailure::mask) {
    mask(ref);
    return false;
  }
  if (on_failure_ == OnFailure::note || ref.attempt + 1 == max_attempts) {
    note_failure(ref, std::move(failure));
    return false;
  }
  replace(ref);
  return true;
}

/// Marks the place as one that does not count, and leaves nothing of another batch in it.
void SampleFiller::mask(const SampleRef& ref) const noexcept {
  counters_.samples_skipped.add();
  fill_with_zeros(ref);
  ref.slot->info.valid[ref.i] = 0;
}

void SampleFiller::fill_with_zeros(const SampleRef& ref) const noexcept {
  for (std::size_t f = 0; f < layout_.fields().size(); ++f) {
    if (layout_.is_ragged(f)) continue;
    std::memset(place(ref, f), 0, layout_.sample_bytes(f));
  }
}

void SampleFiller::replace(SampleRef& ref) const noexcept {
  if (ref.attempt++ == 0) counters_.samples_skipped.add();
  Random random(key(ref), replacement_step);
  const std::uint64_t replacement = random.below(producer_.size());
  ref.slot->info.indices[ref.i] = replacement;
  ref.slot->watches[ref.i].index.store(replacement, std::memory_order_relaxed);
}

/// Keeps the failure of the batch's first sample, so that the same one is thrown however threads
/// ran.
void SampleFiller::note_failure(const SampleRef& ref, Failure failure) const noexcept {
  Slot& slot = *ref.slot;
  const std::uint64_t index = slot.info.indices[ref.i];
  const std::lock_guard lock(slot.failure_mutex);
  if (slot.info.failure && slot.failed_sample < ref.i) return;
  slot.failed_sample = ref.i;
  slot.info.failure.emplace(
      failure.code, failure.message,
      SampleContext{index, safe_name(producer_, index), slot.info.epoch, slot.info.number});
}

}  // namespace stoker
