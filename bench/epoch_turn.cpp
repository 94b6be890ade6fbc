// Measures whether there is a stop between epochs: the waits for the first batch of each epoch
// beside the waits for all others, of a consumer that takes batches as fast as they come.
//   epoch_turn FOLDER [EPOCHS [BATCH_SIZE [WORKERS]]]
#include "bench/workload.hpp"
#include "cli/numbers.hpp"
#include <stoker/core/error.hpp>
#include <stoker/engine/loader.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace stoker::bench {
namespace {

using Seconds = std::chrono::duration<double>;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Waits {
  std::vector<double> at_turns;
  std::vector<double> others;
};

Waits measure(Loader& loader, std::uint64_t epochs) {
  Waits waits;
  for (std::uint64_t e = 0; e < epochs; ++e) {
    auto before = std::chrono::steady_clock::now();
    for (const Batch& batch : loader.epoch(e)) {
      const auto now = std::chrono::steady_clock::now();
      // The first epoch's first batch has nothing before it.
      if (e > 0 || batch.number() > 0) {
        (batch.number() == 0 ? waits.at_turns : waits.others)
            .push_back(Seconds(now - before).count());
      }
      before = std::chrono::steady_clock::now();
    }
  }
  return waits;
}

int run(const std::string& folder, std::uint64_t epochs, std::size_t batch_size, int workers) {
  const auto data = open_data(folder);
  LoaderOptions options;
  options.batch_size = batch_size;
  options.num_workers = workers;
  options.shuffle = true;
  Loader loader(*data,
                Pipeline::parse("decode | random_resized_crop(224) | random_horizontal_flip | "
                                "normalize(imagenet)"),
                options);
  if (loader.size() < 2) {
    throw Error(ErrorCode::invalid_argument, "batch_size: an epoch needs two batches");
  }
  const Waits waits = measure(loader, epochs);
  const double turn = median(waits.at_turns), other = median(waits.others);
  fmt::print(
      "{} epochs of {} batches: wait at an epoch's turn {:.2f} ms, other waits {:.2f} ms "
      "(medians), ratio {:.2f}\n",
      epochs, loader.size(), turn * 1e3, other * 1e3, turn / other);
  return 0;
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  using stoker::cli::whole_number;
  std::string folder;
  std::uint64_t epochs = 12;
  std::size_t batch_size = 16;
  int workers = 2;
  CLI::App app("Measures whether there is a stop between epochs");
  app.option_defaults()->always_capture_default();
  app.add_option("folder", folder, "A data set as `stoker bench` takes it")->required();
  app.add_option("epochs", epochs)->check(whole_number<std::uint64_t>(2));
  app.add_option("batch_size", batch_size)->check(whole_number<std::uint64_t>(1));
  app.add_option("workers", workers)->check(whole_number<int>());
  CLI11_PARSE(app, argc, argv);
  try {
    return stoker::bench::run(folder, epochs, batch_size, workers);
  } catch (const stoker::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
