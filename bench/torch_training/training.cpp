#include "bench/torch_training/training.hpp"

#include "bench/measurement.hpp"
#include "bench/progress_bar.hpp"
#include "bench/torch_training/feed.hpp"
#include "bench/torch_training/step_clock.hpp"
#include "bench/torch_training/trainer.hpp"
#include "bench/workload.hpp"
#include <stoker/core/error.hpp>

#include <ATen/Context.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace stoker::bench {

std::string FeedSetup::pipeline() const {
  const std::string size = std::to_string(options.image_size);
  return "decode | random_resized_crop(" + size +
         ") | random_horizontal_flip | normalize(imagenet)";
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

/// What one feed did in one turn.
struct Round {
  RoundTimes times;    ///< of the steps that count, by the device's clock
  double host = 0;     ///< seconds of the loop, in the same steps
  double waiting = 0;  ///< the part of them inside `next`
  double loss = 0;     ///< of the last step
};

/// The training loop that is measured: the host runs at most two steps ahead of the device.
Round train(Trainer& trainer, TrainingFeed& feed, const FeedSetup& setup, ProgressBar& progress) {
  const auto clock = step_clock(setup.device);
  const auto warmup = static_cast<std::size_t>(setup.options.warmup);
  const std::size_t steps = warmup + static_cast<std::size_t>(setup.options.steps);
  Round round;
  torch::Tensor loss;
  Clock::time_point start;
  for (std::size_t i = 0; i < steps; ++i) {
    if (i == warmup) {
      round.waiting = 0;
      start = Clock::now();
    }
    if (i >= 2) clock->wait(i - 2);
    const auto asked = Clock::now();
    const TrainingBatch batch = feed.next();
    round.waiting += seconds_since(asked);
    clock->begin();
    loss = trainer.step(batch);
    clock->end();
    progress.advance(1);
  }
  round.host = seconds_since(start);
  clock->wait(steps - 1);
  round.times = clock->times(warmup);
  round.loss = loss.item<double>();
  return round;
}

using MakeFeed = std::unique_ptr<TrainingFeed> (*)(const FeedSetup&);
const std::map<std::string, MakeFeed>& all_feeds() {
  static const std::map<std::string, MakeFeed> feeds{
      {"synthetic", synthetic_feed}, {"torch", torch_feed}, {"stoker", stoker_feed}};
  return feeds;
}

/// All turns of one feed.
struct Series {
  std::string name;
  Json description;  ///< of the last turn
  std::vector<Round> rounds;

  template <class Figure>
  std::vector<double> values(Figure figure) const {
    std::vector<double> result;
    for (const Round& round : rounds) result.push_back(figure(round));
    return result;
  }
};

std::vector<double> speeds(const Series& series, const TrainingOptions& options) {
  const double images = static_cast<double>(options.batch_size) * options.steps;
  return series.values([images](const Round& round) { return images / round.times.total; });
}

/// Turn by turn, so that a machine that slows down for a while hits both sides.
double ratio(const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < above.size(); ++i) ratios.push_back(above[i] / below[i]);
  return median(std::move(ratios));
}

Json series_json(const Series& series, const Series* synthetic, const TrainingOptions& options) {
  const auto images = speeds(series, options);
  Json json = series.description;
  json["images_per_second"] = median(images);
  json["repetitions"] = images;
  if (synthetic != nullptr) json["ratio_to_synthetic"] = ratio(images, speeds(*synthetic, options));
  json["starvation"] =
      median(series.values([](const Round& round) { return round.waiting / round.host; }));
  json["device_idle"] = median(
      series.values([](const Round& round) { return 1 - round.times.busy / round.times.total; }));
  json["last_losses"] = series.values([](const Round& round) { return round.loss; });
  return json;
}

Json model_json(const std::string& model, const std::vector<Series>& all,
                const TrainingOptions& options) {
  const auto synthetic = std::find_if(
      all.begin(), all.end(), [](const Series& series) { return series.name == "synthetic"; });
  Json json{{"model", model}};
  for (const Series& series : all) {
    json["feeds"][series.name] =
        series_json(series, synthetic == all.end() ? nullptr : &*synthetic, options);
  }
  return json;
}

Json measure_model(const std::string& model, const FeedSetup& setup, ProgressBar& progress) {
  Trainer trainer(model, setup.device, setup.classes);
  std::vector<Series> all;
  for (const std::string& name : setup.options.feeds) all.push_back({name, {}, {}});
  for (int i = 0; i < setup.options.repetitions; ++i) {
    for (Series& series : all) {
      progress.label(model + ", " + series.name);
      const auto feed = all_feeds().at(series.name)(setup);
      series.rounds.push_back(train(trainer, *feed, setup, progress));
      series.description = feed->describe();
    }
  }
  return model_json(model, all, setup.options);
}

torch::Device device_of(const std::string& name) {
  if (name == "auto") return torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  const torch::Device device(name);
  if (device.is_cuda() && !torch::cuda::is_available()) refuse("LibTorch finds no CUDA device");
  return device;
}

/// Refuses a name that `all` does not have.
template <class All>
void check_names(const char* option, const std::vector<std::string>& names, const All& all) {
  for (const std::string& name : names) {
    if (all.contains(name)) continue;
    std::string known;
    for (const auto& entry : all) known += (known.empty() ? "" : ", ") + entry.first;
    refuse(std::string(option) + " takes " + known + "; not " + name);
  }
}

FeedSetup make_setup(const TrainingOptions& options) {
  check_names("--models", options.models, models());
  check_names("--feeds", options.feeds, all_feeds());
  if (options.warmup < 1 || options.steps < 1) refuse("--warmup and --steps are at least 1");
  FeedSetup setup{options, {}, 1, device_of(options.device), 1000};
  setup.photos = std::dynamic_pointer_cast<const FileSource>(open_data(options.photos));
  const std::uint64_t files = setup.photos->size();
  setup.repeat = std::max<std::uint64_t>((options.samples + files - 1) / files, 1);
  if (files * setup.repeat < options.batch_size) {
    refuse("an epoch of " + std::to_string(files * setup.repeat) +
           " samples has no batch: --samples says how many to repeat the photos to");
  }
  for (std::uint64_t i = 0; i < files; ++i) {
    setup.classes = std::max(setup.classes, setup.photos->label(i) + 1);
  }
  return setup;
}

Json setup_json(const FeedSetup& setup) {
  const TrainingOptions& options = setup.options;
  return {{"libtorch", TORCH_VERSION},
          {"device", setup.device.str()},
          {"dtype", setup.device.is_cuda() ? "bfloat16 by autocast" : "float32"},
          {"photos", setup.photos->size()},
          {"samples_per_epoch", setup.photos->size() * setup.repeat},
          {"pipeline", setup.pipeline()},
          {"batch_size", options.batch_size},
          {"warmup", options.warmup},
          {"steps", options.steps},
          {"repetitions", options.repetitions}};
}

}  // namespace

Json measure_training(const TrainingOptions& options) {
  const FeedSetup setup = make_setup(options);
  at::globalContext().setBenchmarkCuDNN(true);
  const auto rounds = options.models.size() * options.feeds.size();
  ProgressBar progress(rounds * static_cast<std::uint64_t>(options.repetitions) *
                       static_cast<std::uint64_t>(options.warmup + options.steps));
  Json report{{"setup", setup_json(setup)}, {"models", Json::array()}};
  for (const std::string& model : options.models) {
    report["models"].push_back(measure_model(model, setup, progress));
  }
  return report;
}

}  // namespace stoker::bench
