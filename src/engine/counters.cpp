#include "src/engine/counters.hpp"

namespace stoker {

Stats EngineCounters::stats() const {
  Stats stats;
  stats.schedule = schedule.stats();
  stats.read = read.stats();
  stats.produce = produce.stats();
  stats.copy = copy.stats();
  stats.deliver = deliver.stats();
  stats.wait = wait.stats();
  stats.deliver.blocked_on_input = stats.wait.total;
  stats.batches_delivered = stats.deliver.items;
  stats.samples_delivered = samples_delivered.get();
  stats.samples_failed = samples_failed.get();
  stats.samples_skipped = samples_skipped.get();
  stats.resized_on_cpu = resized_on_cpu.get();
  stats.bytes_read = bytes_read.get();
  stats.pixels_decoded = pixels_decoded.get();
  stats.bytes_copied = bytes_copied.get();
  stats.device_copy = device_copy.time();
  stats.device_finish = device_finish.time();
  stats.bytes_timed = bytes_timed.get();
  stats.batches_timed = batches_timed.get();
  stats.decode_busy = decode_busy.time();
  stats.epochs_cancelled = epochs_cancelled.get();
  return stats;
}

}  // namespace stoker
