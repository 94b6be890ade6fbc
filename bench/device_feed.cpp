// How well a CUDA device is fed. One figure or several: each is measured in its own way, and all of
// its sides in turns in the same run.

#include "bench/device_feed/cuda_handles.hpp"
#include "bench/device_feed/feed.hpp"
#include "bench/machine.hpp"
#include "bench/report_main.hpp"
#include "cli/numbers.hpp"
#include <stoker/device/cuda.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stoker::bench {
namespace {

struct Figure {
  const char* name;
  int devices;  ///< that it needs
  Json (*measure)(const Feed&);
  void (*print)(const Json&);
};

constexpr Figure all_figures[]{{"copies", 1, measure_copies, print_copies},
                               {"steps", 1, measure_steps, print_steps},
                               {"host_calls", 1, measure_host_calls, print_host_calls},
                               {"trace", 1, measure_trace, print_trace},
                               {"launches", 1, measure_launches, print_launches},
                               {"memory", 1, measure_memory, print_memory},
                               {"two_devices", 2, measure_two_devices, print_two_devices}};

bool has_devices(const Figure& figure) { return figure.devices <= cuda_device_count(); }

bool wanted(const Figure& figure, const FeedOptions& options) {
  const auto& names = options.figures;
  if (names.empty()) return has_devices(figure);
  return std::find(names.begin(), names.end(), figure.name) != names.end();
}

Json describe_device(int device) {
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0;
  check(cudaGetDeviceProperties(&properties, device));
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  return {{"name", std::string(properties.name)},
          {"devices", cuda_device_count()},
          {"memory_bytes", properties.totalGlobalMem},
          {"cuda_driver", driver},
          {"cuda_runtime", runtime}};
}

Json settings(const FeedOptions& options) {
  return {{"sample_bytes", options.sample_bytes}, {"batch_size", options.batch_size},
          {"batches", options.batches},           {"num_workers", options.num_workers},
          {"prefetch", options.prefetch},         {"device_prefetch", options.device_prefetch},
          {"repetitions", options.repetitions},   {"device", options.device},
          {"launches_a_step", options.launches},  {"step_milliseconds", options.step_milliseconds}};
}

Json measure(const FeedOptions& options) {
  const Feed feed{options, cuda(options.device)};
  check(cudaSetDevice(options.device));
  Json report{{"machine", describe_machine()},
              {"device", describe_device(options.device)},
              {"settings", settings(options)}};
  for (const Figure& figure : all_figures) {
    if (wanted(figure, options)) report[figure.name] = figure.measure(feed);
  }
  return report;
}

void print(const Json& report) {
  const Json& settings = report["settings"];
  fmt::print("{}, {} cores, {} ({}); medians of {} rounds in turns, {} batches each\n",
             report["machine"]["cpu"].get<std::string>(),
             report["machine"]["cores_available"].get<int>(),
             report["device"]["name"].get<std::string>(), report["device"]["devices"].get<int>(),
             settings["repetitions"].get<int>(), settings["batches"].get<std::uint64_t>());
  for (const Figure& figure : all_figures) {
    if (report.contains(figure.name)) figure.print(report[figure.name]);
  }
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const Figure& figure : all_figures) names.emplace_back(figure.name);
  return names;
}

void list_figures() {
  for (const Figure& figure : all_figures) {
    if (has_devices(figure)) fmt::print("{}\n", figure.name);
  }
  throw CLI::Success();
}

void add_options(CLI::App& app, FeedOptions& options) {
  app.add_option("--figures", options.figures,
                 "Figures to measure, commas between; without: all that there are devices for")
      ->delimiter(',')
      ->check(CLI::IsMember(figure_names()));
  app.add_flag_callback("--list", list_figures, "List the figures that there are devices for");
  app.add_option("--sample-bytes", options.sample_bytes, "Bytes of a sample in memory")
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size, "Samples in a batch")
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--batches", options.batches, "Batches of an epoch, more than 8")
      ->check(cli::whole_number<std::uint64_t>(9, 1'000'000))
      ->capture_default_str();
  app.add_option("--num-workers", options.num_workers, "-1: one a core, less one")
      ->check(cli::whole_number<int>(LoaderOptions::automatic))
      ->capture_default_str();
  app.add_option("--prefetch", options.prefetch, "Batches ahead on the host")
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--device-prefetch", options.device_prefetch, "Batches ahead on the device")
      ->check(cli::whole_number<std::uint64_t>(2))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions)
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
  app.add_option("--device", options.device, "The CUDA device's number")
      ->check(cli::whole_number<int>())
      ->capture_default_str();
  app.add_option("--step", options.step_milliseconds, "Milliseconds of a training step")
      ->check(cli::positive_number())
      ->capture_default_str();
  app.add_option("--launches", options.launches, "Kernels of a step in the figure launches")
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
  app.add_option("--memory-batches", options.memory_batches, "Batches of the figure memory")
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_flag("--stats", options.stats, "Print the loader's counters");
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  using namespace stoker::bench;
  return report_main(argc, argv, "Measures how well a CUDA device is fed", FeedOptions{},
                     add_options, measure, print);
}
