// How fast LibTorch trains with each way of feeding it: a batch that lies on the device already,
// LibTorch's own loader, stoker. One process, the same files, in turns.

#include "bench/machine.hpp"
#include "bench/report_main.hpp"
#include "bench/torch_training/training.hpp"
#include "cli/numbers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace stoker::bench {
namespace {

Json measure(const TrainingOptions& options) {
  Json report{{"machine", describe_machine()}};
  report.update(measure_training(options));
  return report;
}

std::string percent(const Json& share) {
  return fmt::format("{:.1f} %", share.get<double>() * 100);
}

void print_feed(const Json& feed) {
  const bool compared = feed.contains("ratio_to_synthetic");
  fmt::print("  {:<26}{:>10.1f}{:>14}{:>12}{:>13}{:>9}\n", feed["title"].get<std::string>(),
             feed["images_per_second"].get<double>(),
             compared ? fmt::format("{:.3f}", feed["ratio_to_synthetic"].get<double>()) : "",
             percent(feed["starvation"]), percent(feed["device_idle"]),
             feed.contains("num_workers") ? feed["num_workers"].dump() : "");
}

void print(const Json& report) {
  const Json& setup = report["setup"];
  fmt::print("LibTorch {} on {}, {}, batches of {}\n", setup["libtorch"].get<std::string>(),
             setup["device"].get<std::string>(), setup["dtype"].get<std::string>(),
             setup["batch_size"].get<std::size_t>());
  for (const Json& model : report["models"]) {
    fmt::print("{:<28}{:>10}{:>14}{:>12}{:>13}{:>9}\n", model["model"].get<std::string>(),
               "images/s", "to synthetic", "starvation", "device idle", "workers");
    for (const Json& feed : model["feeds"]) print_feed(feed);
  }
  fmt::print(
      "medians of {} repetitions of {} steps, {} before them; ratios are medians of the "
      "repetitions' own;\nstarvation: the host's share of time in next(); device idle: the "
      "share between steps\n",
      setup["repetitions"].get<int>(), setup["steps"].get<int>(), setup["warmup"].get<int>());
}

void add_options(CLI::App& app, TrainingOptions& options) {
  app.add_option("--photos", options.photos, "A folder of images or a list file")->required();
  app.add_option("--models", options.models, "resnet18, resnet50")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--feeds", options.feeds, "synthetic, torch, stoker")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--samples", options.samples, "Repeat the photos to at least so many an epoch")
      ->check(cli::whole_number());
  app.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  app.add_option("--batch-size", options.batch_size)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--image-size", options.image_size)
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
  app.add_option("--warmup", options.warmup, "Steps of each turn that do not count")
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "Steps of each turn that count")
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "Turns of each feed")
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
  app.add_option("--num-workers", options.num_workers, "Without: all cores but one")
      ->check(cli::whole_number<int>(LoaderOptions::automatic));
  app.add_option("--decode", options.decode, "Of the feed torch: auto, opencv or stoker")
      ->capture_default_str();
  app.add_option("--resize-on", options.resize, "Of the feed stoker: auto, cpu or device")
      ->capture_default_str();
  app.add_option("--prefetch", options.prefetch, "Of the feed stoker: batches ahead on the host")
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--device-prefetch", options.device_prefetch, "and on the device")
      ->check(cli::whole_number<std::uint64_t>(2))
      ->capture_default_str();
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  using namespace stoker::bench;
  return report_main(argc, argv, "Measures training with LibTorch, fed in several ways",
                     TrainingOptions{}, add_options, measure, print);
}
