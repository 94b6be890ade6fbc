#pragma once

#include "src/engine/counters.hpp"
#include <stoker/device/device.hpp>

#include <cstddef>
#include <vector>

namespace stoker {

/// Times batches' copies and the device's work behind them, with events of the device: nobody waits
/// for them, a batch's times are counted once it is seen to be done. Times as many batches at once
/// as it was made for; where more are in flight, some are not timed. One thread at a time.
class TransferClock {
 public:
  /// @throws Error(device_error)
  TransferClock(Device& device, EngineCounters& counters, std::size_t batches);
  ~TransferClock();
  TransferClock(const TransferClock&) = delete;
  TransferClock& operator=(const TransferClock&) = delete;

  /// Marks a batch's stages on the stream, in this order. A batch whose later calls are left out,
  /// since something could not be queued, is not timed.
  void begin(StreamRef stream);
  void copied(StreamRef stream, std::size_t bytes);
  void finished(StreamRef stream);

  /// Counts the times of batches that are done.
  void collect();

 private:
  TransferClock(Device& device, EngineCounters& counters) : device_(device), counters_(counters) {}

  struct Marks {
    EventRef begin, copied, finished;
    std::size_t bytes = 0;
  };

  Marks* current() noexcept { return timing_ ? &marks_[next_ % marks_.size()] : nullptr; }

  Device& device_;
  EngineCounters& counters_;
  std::vector<Marks> marks_;
  std::size_t next_ = 0;    ///< of the batch in work, counted from the first one
  std::size_t oldest_ = 0;  ///< that was not counted yet
  bool timing_ = false;     ///< the batch in work is timed
};

}  // namespace stoker
