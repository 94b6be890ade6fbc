#include "bench/report.hpp"

#include "bench/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace stoker::bench {
namespace {

using Json = nlohmann::ordered_json;

double speed(const Repetition& repetition) { return repetition.images_per_second(); }
double first_batch(const Repetition& repetition) { return repetition.first_batch_seconds; }
double cpu(const Repetition& repetition) {
  return repetition.cpu_seconds / static_cast<double>(repetition.images);
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// stoker counts the bytes it reads; the others read the same files.
double encoded_bytes_per_image(const SuiteResult& result) {
  const Stats& stats = result.measurements.front().stats.value();
  return static_cast<double>(stats.bytes_read) / static_cast<double>(stats.samples_delivered);
}

double per_worker(const Measurement& measurement) {
  return measurement.images_per_second() / std::max(measurement.num_workers, 1);
}

std::vector<double> figures(const Measurement& measurement, double (*figure)(const Repetition&)) {
  std::vector<double> values;
  for (const Repetition& repetition : measurement.repetitions) values.push_back(figure(repetition));
  return values;
}

Json waits_json(const WaitStats& wait) {
  return {{"count", wait.count},
          {"p50_seconds", seconds(wait.p50)},
          {"p90_seconds", seconds(wait.p90)},
          {"p99_seconds", seconds(wait.p99)},
          {"max_seconds", seconds(wait.max)},
          {"total_seconds", seconds(wait.total)}};
}

void add_memory(Json& json, const Measurement& measurement) {
  if (!measurement.peak_memory_bytes) return;
  json["peak_memory_bytes"] = *measurement.peak_memory_bytes;
  json["resident_before_bytes"] = measurement.resident_before_bytes.value_or(0);
}

Json measurement_json(const Measurement& measurement, double bytes_per_image) {
  const double images = measurement.images_per_second();
  Json json{{"images_per_second", images},
            {"first_batch_seconds", measurement.first_batch_seconds()},
            {"repetitions", figures(measurement, speed)},
            {"first_batch_repetitions", figures(measurement, first_batch)},
            {"megabytes_per_second", images * bytes_per_image * 1e-6},
            {"num_workers", measurement.num_workers},
            {"images_per_second_per_worker", per_worker(measurement)},
            {"cpu_seconds_per_image", measurement.cpu_seconds_per_image()}};
  if (measurement.skipped > 0) json["skipped_files"] = measurement.skipped;
  if (measurement.stats) {
    json["wait"] = waits_json(measurement.stats->wait);
    json["starvation"] = measurement.stats->starvation;
    json["stages"] = Json::parse(measurement.stats->json());
  }
  add_memory(json, measurement);
  return json;
}

/// stoker against each other contender; first batches the other way round, so that above 1 always
/// speaks for stoker.
Json ratio_json(const SuiteResult& result) {
  const Measurement& stoker = result.measurements.front();
  Json json = Json::object();
  for (const Measurement& other : result.measurements) {
    if (&other == &stoker) continue;
    json["stoker_over_" + other.key] = median_ratio(stoker, other, speed);
    json["cpu_" + other.key + "_over_stoker"] = median_ratio(other, stoker, cpu);
    if (other.key == "limit") continue;
    json["first_batch_" + other.key + "_over_stoker"] = median_ratio(other, stoker, first_batch);
  }
  return json;
}

Json workload_json(const Workload& workload, double bytes_per_image) {
  return {{"files", workload.files->size()},
          {"repeat", workload.repeat},
          {"images_per_epoch", workload.epoch_size()},
          {"encoded_bytes_per_image", bytes_per_image},
          {"pipeline", workload.pipeline.text()},
          {"batch_size", workload.batch_size},
          {"num_workers", workload.num_workers},
          {"prefetch", workload.prefetch},
          {"device", workload.device_name()},
          {"finish", name_of(workload.finish)},
          {"resize_on", name_of(workload.resize_on)},
          {"shuffle", workload.shuffle},
          {"seed", workload.seed}};
}

Json sweep_json(const SweepResult& sweep) {
  Json points = Json::array();
  for (const SweepPoint& point : sweep.points) {
    points.push_back({{"value", point.value},
                      {"images_per_second", point.measurement.images_per_second()},
                      {"first_batch_seconds", point.measurement.first_batch_seconds()},
                      {"repetitions", figures(point.measurement, speed)}});
  }
  return {{"variable", sweep.variable},
          {"points", points},
          {"knee", sweep.knee},
          {"knee_tolerance", knee_tolerance}};
}

std::string milliseconds(double value) { return fmt::format("{:.1f} ms", value * 1e3); }

std::string row(const Measurement& measurement, double bytes_per_image) {
  const double images = measurement.images_per_second();
  return fmt::format("{:<26}{:>10.1f}{:>9.1f}{:>12.1f}{:>14}{:>12}\n", measurement.title, images,
                     images * bytes_per_image * 1e-6, per_worker(measurement),
                     milliseconds(measurement.first_batch_seconds()),
                     milliseconds(measurement.cpu_seconds_per_image()));
}

std::string wait_line(const Measurement& stoker) {
  const WaitStats& wait = stoker.stats.value().wait;
  return fmt::format("wait for a batch: p50 {}, p90 {}, p99 {}, max {}; starvation {:.1f} %\n",
                     milliseconds(seconds(wait.p50)), milliseconds(seconds(wait.p90)),
                     milliseconds(seconds(wait.p99)), milliseconds(seconds(wait.max)),
                     stoker.stats->starvation * 100);
}

std::string memory_line(const Measurement& stoker) {
  if (!stoker.peak_memory_bytes) return {};
  return fmt::format("peak memory: {:.1f} MB, of which {:.1f} MB before the loader was made\n",
                     static_cast<double>(*stoker.peak_memory_bytes) * 1e-6,
                     static_cast<double>(stoker.resident_before_bytes.value_or(0)) * 1e-6);
}

/// Where batches go and what is done there.
std::string device_line(const Workload& workload, const Measurement& stoker) {
  if (workload.device->zero_copy()) return {};
  const Stats& stats = stoker.stats.value();
  return fmt::format(
      "batches on {}: finish {}, resize on {} ({} crops on the CPU all the same); "
      "{:.1f} kB an image cross the bus\n",
      workload.device_name(), name_of(workload.finish), name_of(workload.resize_on),
      stats.resized_on_cpu,
      static_cast<double>(stats.bytes_copied) * 1e-3 /
          static_cast<double>(stats.samples_delivered));
}

std::string ratio_lines(const SuiteResult& result) {
  const Measurement& stoker = result.measurements.front();
  std::string text;
  for (const Measurement& other : result.measurements) {
    if (&other == &stoker) continue;
    text += fmt::format("stoker / {:<26}{:>6.3f} x the speed", other.title,
                        median_ratio(stoker, other, speed));
    if (other.key != "limit") {
      text +=
          fmt::format(", first batch {:.2f} x sooner", median_ratio(other, stoker, first_batch));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string suite_table(const Workload& workload, const SuiteResult& result) {
  const double bytes = encoded_bytes_per_image(result);
  const Measurement& stoker = result.measurements.front();
  std::string text = fmt::format("{:<26}{:>10}{:>9}{:>12}{:>14}{:>12}\n", "", "images/s", "MB/s",
                                 "per worker", "first batch", "CPU/image");
  for (const Measurement& measurement : result.measurements) text += row(measurement, bytes);
  text +=
      device_line(workload, stoker) + wait_line(stoker) + memory_line(stoker) + ratio_lines(result);
  return text +
         fmt::format("medians of {} repetitions; ratios are medians of the repetitions' own\n",
                     stoker.repetitions.size());
}

std::string sweep_table(const SweepResult& result) {
  std::string text =
      fmt::format("{:>12}{:>12}{:>14}\n", result.variable, "images/s", "first batch");
  for (const SweepPoint& point : result.points) {
    text +=
        fmt::format("{:>12}{:>12.1f}{:>14}{}\n", point.value, point.measurement.images_per_second(),
                    milliseconds(point.measurement.first_batch_seconds()),
                    point.value == result.knee ? "  <- knee" : "");
  }
  return text + fmt::format("knee: the smallest value within {:.0f} % of the fastest\n",
                            knee_tolerance * 100);
}

nlohmann::ordered_json report_json(const Workload& workload, const SuiteResult& result,
                                   const std::vector<SweepResult>& sweeps) {
  const double bytes = encoded_bytes_per_image(result);
  Json json;
  json["machine"] = describe_machine();
  if (!result.torch_version.empty())
    json["machine"]["libraries"]["libtorch"] = result.torch_version;
  json["workload"] = workload_json(workload, bytes);
  for (const Measurement& measurement : result.measurements) {
    json[measurement.key] = measurement_json(measurement, bytes);
  }
  json["ratio"] = ratio_json(result);
  for (const SweepResult& sweep : sweeps) json["sweep"].push_back(sweep_json(sweep));
  return json;
}

}  // namespace stoker::bench
