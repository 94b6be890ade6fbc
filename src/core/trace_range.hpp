#pragma once

#include <atomic>
#include <cstdint>

namespace stoker {

/// The stages of a loader that a trace tells apart.
enum class TraceStage : std::uint8_t {
  schedule,  ///< a batch's samples are chosen and handed out
  read,      ///< a sample is read
  produce,   ///< a sample is decoded, transformed and written in its place
  copy,      ///< a batch's copy and finish are queued on the device
  next,      ///< the consumer asks for a batch
};

/// Shows what a thread does, from construction to destruction, to the profiler that the process was
/// started with (NVTX: Nsight Systems and others): as a range named after the stage, in the domain
/// "stoker", with the number of the batch or sample as its payload. Ranges of a thread nest; each
/// ends on the thread that began it. Without a profiler a range costs a few instructions, without
/// STOKER_WITH_NVTX none.
class [[nodiscard]] TraceRange {
 public:
#ifdef STOKER_WITH_NVTX
  explicit TraceRange(TraceStage stage, std::uint64_t number = 0) noexcept
      : open_(!untraced_.load(std::memory_order_relaxed) && begin(stage, number)) {}
  ~TraceRange() {
    if (open_) end();
  }
#else
  explicit TraceRange(TraceStage, std::uint64_t = 0) noexcept {}
  ~TraceRange() {}  // written out, so that a range is no unused variable
#endif
  TraceRange(const TraceRange&) = delete;
  TraceRange& operator=(const TraceRange&) = delete;

#ifdef STOKER_WITH_NVTX
 private:
  /// Returns whether there is a profiler, and so something to end.
  static bool begin(TraceStage stage, std::uint64_t number) noexcept;
  static void end() noexcept;

  static inline constinit std::atomic<bool> untraced_{false};  ///< it is known there is none
  bool open_;
#endif
};

}  // namespace stoker
