// Tensors in memory through LibTorch's data loader and through stoker's drop-in for it: a dataset
// whose `get` returns an image as MNIST's and its label, and a TensorDataset. Beside them, what
// `get` and the copy alone allow.

#include "bench/machine.hpp"
#include "bench/measurement.hpp"
#include "bench/report_main.hpp"
#include "cli/numbers.hpp"
#include <stoker/torch.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stoker::bench {
namespace {

namespace data = ::torch::data;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using Sequential = data::samplers::SequentialSampler;

struct TensorsOptions {
  std::int64_t samples = 60'000;
  std::size_t batch_size = 64;
  std::vector<std::size_t> num_workers{1, 2};
  int repetitions = 5;
  std::string json;
};

/// Images and labels in memory, sample by sample.
struct Pictures : data::datasets::Dataset<Pictures> {
  explicit Pictures(std::int64_t samples)
      : images(at::rand({samples, 1, 28, 28})), labels(at::arange(samples) % 10) {}
  data::Example<> get(std::size_t index) override {
    const auto i = static_cast<std::int64_t>(index);
    return {images[i], labels[i]};
  }
  decltype(std::declval<data::datasets::TensorDataset&>().size()) size() const override {
    return static_cast<std::size_t>(images.size(0));
  }
  at::Tensor images, labels;
};

/// Walks an epoch and returns samples a second.
template <class Loader>
double walk(Loader& loader, std::int64_t samples) {
  std::int64_t count = 0;
  const auto start = Clock::now();
  for (auto& batch : loader) count += batch.data.size(0);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (count != samples) throw std::runtime_error("an epoch has another number of samples");
  return static_cast<double>(samples) / seconds;
}

/// Samples a second of threads that each call `batch(first, last)` for one batch after the other.
template <class MakeWorker>
double in_threads(std::int64_t samples, std::size_t batch_size, std::size_t num_threads,
                  MakeWorker make_worker) {
  std::atomic<std::int64_t> next{0};
  const auto step = static_cast<std::int64_t>(batch_size);
  const auto work = [&] {
    auto batch = make_worker();
    for (std::int64_t first; (first = next.fetch_add(step)) < samples;) {
      batch(first, std::min(samples, first + step));
    }
  };
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < num_threads; ++i) threads.emplace_back(work);
  }
  return static_cast<double>(samples) / std::chrono::duration<double>(Clock::now() - start).count();
}

/// Batches that a loader's ring holds with one worker: the memory that is written again and again.
constexpr std::size_t ring_slots = 3;

/// What threads reach that call `get` and copy what it returns to their own memory, as large as a
/// loader's ring, and no more.
double get_and_copy(const Pictures& pictures, std::size_t batch_size, std::size_t num_threads) {
  const auto bytes = static_cast<std::size_t>(pictures.images[0].nbytes());
  const std::size_t batch_bytes = (bytes + sizeof(std::int64_t)) * batch_size;
  return in_threads(pictures.images.size(0), batch_size, num_threads, [&] {
    return [mine = pictures, memory = std::vector<std::byte>(ring_slots * batch_bytes), bytes,
            batch_bytes, turn = std::size_t{0}](std::int64_t first, std::int64_t last) mutable {
      std::byte* place = memory.data() + turn++ % ring_slots * batch_bytes;
      for (std::int64_t i = first; i < last; ++i) {
        const data::Example<> example = mine.get(static_cast<std::size_t>(i));
        std::memcpy(place, example.data.data_ptr(), bytes);
        std::memcpy(place + bytes, example.target.data_ptr(), sizeof(std::int64_t));
        place += bytes + sizeof(std::int64_t);
      }
    };
  });
}

/// What threads reach that only copy rows, a batch at a time.
double copy_alone(const at::Tensor& rows, std::size_t batch_size, std::size_t num_threads) {
  const auto row_bytes = static_cast<std::size_t>(rows[0].nbytes());
  const auto* from = static_cast<const std::byte*>(rows.data_ptr());
  return in_threads(rows.size(0), batch_size, num_threads, [&] {
    return [memory = std::vector<std::byte>(ring_slots * batch_size * row_bytes), from, row_bytes,
            batch_size, turn = std::size_t{0}](std::int64_t first, std::int64_t last) mutable {
      std::memcpy(memory.data() + turn++ % ring_slots * batch_size * row_bytes,
                  from + static_cast<std::size_t>(first) * row_bytes,
                  static_cast<std::size_t>(last - first) * row_bytes);
    };
  });
}

/// Medians of contenders that take turns, and the others' ratios to the first one.
Json in_turns(const std::vector<std::pair<const char*, std::function<double()>>>& contenders,
              int repetitions) {
  std::vector<std::vector<double>> speeds(contenders.size()), ratios(contenders.size());
  for (int round = -1; round < repetitions; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double speed = contenders[i].second();
      if (round < 0) continue;  // warm-up
      speeds[i].push_back(speed);
      ratios[i].push_back(speed / speeds[0].back());
    }
  }
  Json json;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    json[contenders[i].first] = {{"samples_per_second", median(speeds[i])},
                                 {"over_libtorch", median(ratios[i])}};
  }
  return json;
}

Json measure_get(const TensorsOptions& options, std::size_t workers) {
  const Pictures pictures(options.samples);
  const auto stacked = [&] { return Pictures(pictures).map(data::transforms::Stack<>()); };
  const auto size = static_cast<std::size_t>(options.samples);
  const auto theirs = data::DataLoaderOptions(options.batch_size).workers(workers);
  auto libtorch = data::make_data_loader(stacked(), Sequential(size), theirs);
  auto stoker = stoker::torch::make_data_loader(stacked(), Sequential(size), theirs);
  return in_turns(
      {{"libtorch", [&] { return walk(*libtorch, options.samples); }},
       {"stoker", [&] { return walk(*stoker, options.samples); }},
       {"get_and_copy", [&] { return get_and_copy(pictures, options.batch_size, workers); }}},
      options.repetitions);
}

Json measure_tensor_dataset(const TensorsOptions& options, std::size_t workers) {
  const at::Tensor rows = at::rand({options.samples, 1, 28, 28});
  const auto stacked = [&] {
    return data::datasets::TensorDataset(rows).map(data::transforms::Stack<data::TensorExample>());
  };
  const auto size = static_cast<std::size_t>(options.samples);
  const auto theirs = data::DataLoaderOptions(options.batch_size).workers(workers);
  auto libtorch = data::make_data_loader(stacked(), Sequential(size), theirs);
  auto stoker = stoker::torch::make_data_loader(stacked(), Sequential(size), theirs);
  return in_turns({{"libtorch", [&] { return walk(*libtorch, options.samples); }},
                   {"stoker", [&] { return walk(*stoker, options.samples); }},
                   {"copy_alone", [&] { return copy_alone(rows, options.batch_size, workers); }}},
                  options.repetitions);
}

Json measure(const TensorsOptions& options) {
  at::set_num_threads(1);
  Json report{{"machine", describe_machine()},
              {"samples", options.samples},
              {"batch_size", options.batch_size},
              {"repetitions", options.repetitions}};
  for (const std::size_t workers : options.num_workers) {
    report["get"].push_back({{"num_workers", workers}, {"speeds", measure_get(options, workers)}});
    report["tensor_dataset"].push_back(
        {{"num_workers", workers}, {"speeds", measure_tensor_dataset(options, workers)}});
  }
  return report;
}

void print(const Json& report) {
  fmt::print(
      "{}, {} cores; images of 28 x 28 in memory, {} an epoch, batches of {}, medians of {}\n",
      report["machine"]["cpu"].get<std::string>(), report["machine"]["cores_available"].get<int>(),
      report["samples"].get<std::int64_t>(), report["batch_size"].get<std::size_t>(),
      report["repetitions"].get<int>());
  for (const char* figure : {"get", "tensor_dataset"}) {
    for (const Json& entry : report[figure]) {
      fmt::print("{}, {} workers\n", figure, entry["num_workers"].get<std::size_t>());
      for (const auto& [name, speed] : entry["speeds"].items()) {
        fmt::print("  {:<14} {:>12.0f} samples/s, {:.2f} x LibTorch's loader\n", name,
                   speed["samples_per_second"].get<double>(), speed["over_libtorch"].get<double>());
      }
    }
  }
}

void add_options(CLI::App& app, TensorsOptions& options) {
  app.add_option("--samples", options.samples, "Samples of an epoch")
      ->check(cli::whole_number<std::int64_t>(1))
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size)
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--num-workers", options.num_workers, "Numbers of workers, commas between")
      ->delimiter(',')
      ->check(cli::whole_number<std::uint64_t>(1))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions)
      ->check(cli::whole_number<int>(1))
      ->capture_default_str();
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  using namespace stoker::bench;
  return report_main(argc, argv,
                     "Measures tensors in memory through LibTorch's loader and stoker's",
                     TensorsOptions{}, add_options, measure, print);
}
