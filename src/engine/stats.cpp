#include <stoker/engine/stats.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stoker {
namespace {

double seconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

std::string row(const char* name, const StageStats& stage) {
  return fmt::format("{:<10} {:>12} {:>12.3f} {:>14.3f} {:>14.3f} {:>8}\n", name, stage.items,
                     seconds(stage.busy), seconds(stage.blocked_on_input),
                     seconds(stage.blocked_on_output), stage.queue_depth);
}

std::string device_row(const Stats& stats) {
  const auto batches = static_cast<double>(stats.batches_timed);
  const double copying = seconds(stats.device_copy);
  return fmt::format(
      "device: {:.3f} ms a batch to copy ({:.1f} GB/s), {:.3f} ms for its work behind that\n",
      copying / batches * 1e3,
      copying > 0 ? static_cast<double>(stats.bytes_timed) * 1e-9 / copying : 0.0,
      seconds(stats.device_finish) / batches * 1e3);
}

nlohmann::json to_json(const StageStats& stage) {
  return {{"items", stage.items},
          {"busy_seconds", seconds(stage.busy)},
          {"blocked_on_input_seconds", seconds(stage.blocked_on_input)},
          {"blocked_on_output_seconds", seconds(stage.blocked_on_output)},
          {"queue_depth", stage.queue_depth}};
}

nlohmann::json to_json(const WaitStats& wait) {
  return {{"count", wait.count},
          {"total_seconds", seconds(wait.total)},
          {"p50_seconds", seconds(wait.p50)},
          {"p90_seconds", seconds(wait.p90)},
          {"p99_seconds", seconds(wait.p99)},
          {"max_seconds", seconds(wait.max)}};
}

}  // namespace

std::string Stats::table() const {
  std::string text = fmt::format("{:<10} {:>12} {:>12} {:>14} {:>14} {:>8}\n", "stage", "items",
                                 "busy s", "no input s", "no room s", "queued");
  text += row("schedule", schedule) + row("read", read) + row("produce", produce);
  if (copy.items > 0) text += row("copy", copy);
  text += row("deliver", deliver);
  text += fmt::format(
      "{} batches, {} samples in {:.3f} s; {:.1f} MB read, {:.1f} Mpixel decoded in "
      "{:.3f} s\n",
      batches_delivered, samples_delivered, seconds(elapsed),
      static_cast<double>(bytes_read) * 1e-6, static_cast<double>(pixels_decoded) * 1e-6,
      seconds(decode_busy));
  text += fmt::format(
      "wait p50 {:.1f} us, p90 {:.1f} us, p99 {:.1f} us, max {:.1f} us; starvation "
      "{:.1f} %\n",
      seconds(wait.p50) * 1e6, seconds(wait.p90) * 1e6, seconds(wait.p99) * 1e6,
      seconds(wait.max) * 1e6, starvation * 100);
  if (batches_timed > 0) text += device_row(*this);
  if (samples_failed > 0) {
    text += fmt::format("{} attempts failed, {} samples were replaced\n", samples_failed,
                        samples_skipped);
  }
  if (resized_on_cpu > 0) {
    text +=
        fmt::format("{} crops were resized on the CPU: too large for their slot or the kernel\n",
                    resized_on_cpu);
  }
  return text;
}

std::string Stats::json() const {
  const nlohmann::json json = {{"elapsed_seconds", seconds(elapsed)},
                               {"batches_delivered", batches_delivered},
                               {"samples_delivered", samples_delivered},
                               {"samples_failed", samples_failed},
                               {"samples_skipped", samples_skipped},
                               {"resized_on_cpu", resized_on_cpu},
                               {"bytes_read", bytes_read},
                               {"pixels_decoded", pixels_decoded},
                               {"bytes_copied", bytes_copied},
                               {"device",
                                {{"batches_timed", batches_timed},
                                 {"bytes_timed", bytes_timed},
                                 {"copy_seconds", seconds(device_copy)},
                                 {"finish_seconds", seconds(device_finish)}}},
                               {"slots_grown", slots_grown},
                               {"epochs_cancelled", epochs_cancelled},
                               {"decode_busy_seconds", seconds(decode_busy)},
                               {"stages",
                                {{"schedule", to_json(schedule)},
                                 {"read", to_json(read)},
                                 {"produce", to_json(produce)},
                                 {"copy", to_json(copy)},
                                 {"deliver", to_json(deliver)}}},
                               {"wait", to_json(wait)},
                               {"starvation", starvation}};
  return json.dump(2);
}

}  // namespace stoker
