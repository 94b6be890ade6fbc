#include "bench/json_file.hpp"
#include "bench/report.hpp"
#include "bench/suite.hpp"
#include "bench/sweep.hpp"
#include "bench/workload.hpp"
#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include <stoker/core/error.hpp>
#include <stoker/device/cuda.hpp>
#include <stoker/engine/loader.hpp>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker::cli {
namespace {

constexpr const char* default_pipeline =
    "decode | random_resized_crop(224) | random_horizontal_flip | normalize(imagenet)";

struct BenchOptions {
  std::string data;
  std::string pipeline = default_pipeline;
  std::string num_workers = "auto";
  std::string device = "host";
  std::string finish = "auto";
  std::string resize_on = "cpu";
  std::string compare;
  std::string json;
  std::vector<std::string> sweeps;
  bench::Workload workload;
  bench::SuiteOptions suite;
};

/// A whole number from 0, or nothing.
std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || next != end || value < 0) return std::nullopt;
  return value;
}

int parse_num_workers(const std::string& text) {
  if (text == "auto") return LoaderOptions::automatic;
  if (const auto value = parse_number(text)) return *value;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--num-workers {}: expected a number from 0, or auto", text));
}

DevicePtr parse_device(const std::string& text) {
  constexpr std::string_view numbered = "cuda:";
  if (text == "host") return host();
  if (text == "cuda") return cuda(0);
  if (text.starts_with(numbered)) {
    if (const auto ordinal = parse_number(std::string_view(text).substr(numbered.size()))) {
      return cuda(*ordinal);
    }
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--device {}: expected host, cuda, or cuda: and a number", text));
}

/// The value whose name a user gave; CLI11 has checked that there is one.
template <class Choice>
Choice choice_named(const std::string& name, std::initializer_list<Choice> choices) {
  return *std::find_if(choices.begin(), choices.end(),
                       [&](Choice choice) { return bench::name_of(choice) == name; });
}

std::vector<bench::SweepVariable> parse_sweeps(const std::vector<std::string>& texts) {
  std::vector<bench::SweepVariable> variables;
  for (const std::string& text : texts) variables.push_back(bench::parse_sweep(text));
  return variables;
}

/// Writes a word so that a shell reads it as one.
std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n|&;()<>*?[]#~$`\"'\\") == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The process's own command line, as one would type it.
std::string command_line() {
  std::ifstream words("/proc/self/cmdline");
  std::string word;
  std::getline(words, word, '\0');
  std::string text = "stoker";
  while (std::getline(words, word, '\0')) text += " " + shell_word(word);
  return text;
}

void write_report(nlohmann::ordered_json report, const std::string& path) {
  report["command"] = command_line();
  report["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  bench::write_json(report, path);
}

void run_bench(BenchOptions& options) {
  bench::Workload& workload = options.workload;
  workload.num_workers = parse_num_workers(options.num_workers);
  workload.pipeline = Pipeline::parse(options.pipeline);
  workload.finish =
      choice_named(options.finish, {FinishOn::automatic, FinishOn::cpu, FinishOn::device});
  workload.resize_on = choice_named(options.resize_on, {ResizeOn::cpu, ResizeOn::device});
  workload.device = parse_device(options.device);
  const auto variables = parse_sweeps(options.sweeps);
  workload.files = bench::open_data(options.data);
  options.suite.compare_torch = !options.compare.empty();
  bench::check_json_file(options.json);

  const auto sweeps = bench::run_sweeps(workload, variables, options.suite.repetitions);
  for (const bench::SweepResult& sweep : sweeps) fmt::print("{}\n", bench::sweep_table(sweep));
  const auto result = bench::run_suite(workload, options.suite);
  fmt::print("{}", bench::suite_table(workload, result));
  if (!options.json.empty()) {
    write_report(bench::report_json(workload, result, sweeps), options.json);
  }
}

void add_workload_options(CLI::App& bench, BenchOptions& options) {
  bench::Workload& workload = options.workload;
  bench
      .add_option("DATA", options.data,
                  "A folder of class folders, a folder of images, or a list of `path label`")
      ->required();
  bench.add_option("--pipeline", options.pipeline, "Steps from the file to the batch")
      ->capture_default_str();
  bench.add_option("--batch-size", workload.batch_size, "Images in a batch")
      ->check(whole_number<std::uint64_t>(1))
      ->capture_default_str();
  bench
      .add_option("--num-workers", options.num_workers,
                  "Decoding threads; 0: all work in the consumer's thread; auto: one a core, less "
                  "one for the consumer")
      ->capture_default_str();
  bench.add_option("--prefetch", workload.prefetch, "Batches kept ready ahead")
      ->check(whole_number<std::uint64_t>(1))
      ->capture_default_str();
  bench
      .add_option(
          "--device", options.device,
          "Where batches go: host, cuda, or cuda: and a number; an epoch ends when its last "
          "batch is complete there")
      ->capture_default_str();
  bench
      .add_option("--finish", options.finish,
                  "Where flip, normalise, cast and layout are done: auto, cpu or device")
      ->check(CLI::IsMember({"auto", "cpu", "device"}))
      ->capture_default_str();
  bench
      .add_option("--resize-on", options.resize_on,
                  "Where crops are resized: cpu or device, which finishes them too")
      ->check(CLI::IsMember({"cpu", "device"}))
      ->capture_default_str();
  bench.add_option("--repeat", workload.repeat, "Walk the files that often in an epoch")
      ->check(whole_number<std::uint64_t>(1))
      ->capture_default_str();
  bench.add_flag("--shuffle", workload.shuffle, "Visit the files in random order");
  bench.add_option("--seed", workload.seed, "Seed of order and random steps")
      ->check(whole_number())
      ->capture_default_str();
}

void add_measuring_options(CLI::App& bench, BenchOptions& options) {
  bench.add_option("--repetitions", options.suite.repetitions, "Epochs that are measured")
      ->check(whole_number<int>(1))
      ->capture_default_str();
  bench.add_option("--warmup", options.suite.warmup, "Epochs walked before, and not counted")
      ->check(whole_number<int>(1))
      ->capture_default_str();
  bench.add_flag("--limit", options.suite.limit,
                 "Measure libjpeg-turbo alone beside it: same files in memory, same crops, same "
                 "number of threads");
  bench
      .add_option("--compare", options.compare,
                  "Measure another loader beside it: torch is LibTorch's DataLoader, once with "
                  "OpenCV and once with stoker's decode inside it")
      ->check(CLI::IsMember({"torch"}));
  bench
      .add_option("--sweep", options.sweeps,
                  "NAME=VALUE,VALUE: try the values and go on with the knee, the smallest one "
                  "within 4 % of the fastest; NAME is num_workers, prefetch, batch_size or "
                  "num_readers; may be given several times")
      ->allow_extra_args(false);
  bench.add_option("--json", options.json, "Write all figures to this file");
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Measure how fast batches come out");
  add_workload_options(*bench, *options);
  add_measuring_options(*bench, *options);
  bench->footer(
      "Examples:\n"
      "  stoker bench photos/train --num-workers 8 --batch-size 256 --json figures.json\n"
      "  stoker bench photos/train --repeat 20 --limit --compare torch\n"
      "  stoker bench photos/train --repeat 20 --limit --device cuda --resize-on device\n"
      "  stoker bench photos/train --sweep num_workers=1,2,4,8 --sweep prefetch=2,4,8");
  bench->callback([options] { run_bench(*options); });
}

}  // namespace stoker::cli
