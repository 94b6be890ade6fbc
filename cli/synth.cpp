#include "bench/json_file.hpp"
#include "bench/progress_bar.hpp"
#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include "cli/synth_set.hpp"
#include <stoker/engine/worker_pool.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

namespace stoker::cli {
namespace {

struct SynthArguments {
  SynthOptions set;
  std::string folder;
  std::string json;
  std::uint64_t classes = 0;
  int quality = 0;
  int num_workers = 0;
};

SynthOptions chosen(const SynthArguments& arguments) {
  SynthOptions set = arguments.set;
  set.folder = arguments.folder;
  if (set.folder.filename().empty()) set.folder = set.folder.parent_path();
  set.classes = arguments.classes != 0 ? arguments.classes : std::min(set.classes, set.count);
  if (arguments.quality != 0) set.quality = arguments.quality;
  set.num_workers = arguments.num_workers != 0 ? arguments.num_workers : available_processors();
  return set;
}

void print(const SynthOptions& set, const SynthResult& result, double seconds) {
  const auto images = static_cast<double>(set.count);
  fmt::print("{}: {} images in {} classes, {:.1f} MB, {:.1f} kB each\n", set.folder.string(),
             set.count, set.classes, static_cast<double>(result.bytes) / 1e6,
             static_cast<double>(result.bytes) / images / 1e3);
  if (result.kept != 0) fmt::print("{} of them were there before\n", result.kept);
  if (result.written != 0)
    fmt::print("{} written in {:.1f} s, {:.0f} images/s\n", result.written, seconds,
               static_cast<double>(result.written) / seconds);
}

void write_figures(const SynthOptions& set, const SynthResult& result, double seconds,
                   const std::string& path) {
  const nlohmann::ordered_json figures = {
      {"folder", set.folder.string()},
      {"images", set.count},
      {"classes", set.classes},
      {"seed", set.seed},
      {"bytes", result.bytes},
      {"written", result.written},
      {"kept", result.kept},
      {"seconds", seconds},
      {"images_per_second", static_cast<double>(result.written) / seconds},
      {"num_workers", set.num_workers}};
  bench::write_json(figures, path);
}

void run_synth(const SynthArguments& arguments) {
  const SynthOptions set = chosen(arguments);
  bench::check_json_file(arguments.json);
  const auto start = std::chrono::steady_clock::now();
  SynthResult result;
  {
    bench::ProgressBar bar(set.count);
    bar.label(fmt::format("making {} images", set.count));
    result = make_synth_set(set, [&](std::uint64_t images) { bar.advance(images); });
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  print(set, result, elapsed.count());
  if (!arguments.json.empty()) write_figures(set, result, elapsed.count(), arguments.json);
}

}  // namespace

void add_synth(CLI::App& app) {
  auto arguments = std::make_shared<SynthArguments>();
  CLI::App* synth = app.add_subcommand(
      "synth",
      "Make a data set of JPEGs that cost as much to read and decode as ImageNet's photos");
  synth->add_option("OUT", arguments->folder, "Folder to make; gets a subfolder a class")
      ->required();
  synth->add_option("--count", arguments->set.count, "Number of images")
      ->check(whole_number<std::uint64_t>(1))
      ->capture_default_str();
  synth->add_option("--classes", arguments->classes, "Number of classes [10, or one an image]")
      ->check(whole_number<std::uint64_t>(1));
  synth->add_option("--seed", arguments->set.seed, "The same seed gives the same bytes")
      ->check(whole_number())
      ->capture_default_str();
  synth
      ->add_option("--quality", arguments->quality,
                   "JPEG quality of all images [each its own, as in ImageNet]")
      ->check(whole_number<int>(1, 100));
  synth
      ->add_option("--num-workers,--workers", arguments->num_workers,
                   "Threads; the images do not depend on it [one a core]")
      ->check(whole_number<int>(1));
  synth->add_flag("--force", arguments->set.force,
                  "Write into a folder that holds something else; other files stay");
  synth->add_option("--json", arguments->json, "Write all figures to this file");
  synth->footer(
      "The same call goes on where an earlier one was stopped; a larger count adds images.\n"
      "Example:\n"
      "  stoker synth photos/train --count 5000 --classes 100 --seed 1");
  synth->callback([arguments] { run_synth(*arguments); });
}

}  // namespace stoker::cli
