#include "bench/suite.hpp"

#include "bench/jpeg_limit.hpp"
#include "bench/machine.hpp"
#include "bench/stoker_contender.hpp"
#include "bench/torch_contender.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stoker::bench {
namespace {

/// A contender and what was measured of it so far.
struct Entry {
  std::unique_ptr<Contender> contender;
  Measurement measurement;
  std::vector<std::optional<Stats>> stats;
};

class Suite {
 public:
  Suite(Workload& workload, const SuiteOptions& options)
      : workload_(workload), options_(options), bar_(total_images()) {}

  SuiteResult run() {
    enter_all();
    for (int round = 0; round < options_.repetitions; ++round) take_turns(round);
    SuiteResult result;
    result.torch_version = torch_version_;
    for (Entry& entry : entries_) result.measurements.push_back(finish(entry));
    return result;
  }

 private:
  std::uint64_t total_images() const {
    const int contenders = 1 + (options_.limit ? 1 : 0) + (options_.compare_torch ? 2 : 0);
    return workload_.epoch_size() *
           static_cast<std::uint64_t>(contenders * (options_.warmup + options_.repetitions));
  }

  void enter_all() {
    const std::uint64_t before = resident_bytes();
    const bool own_peak = reset_peak_memory();
    auto stoker = std::make_unique<StokerContender>(workload_);
    workload_.num_workers = stoker->num_workers();
    Measurement& measurement = enter(std::move(stoker)).measurement;
    measurement.resident_before_bytes = before;
    if (own_peak) measurement.peak_memory_bytes = peak_memory_bytes();
    if (options_.limit) enter(std::make_unique<JpegLimit>(workload_));
    if (!options_.compare_torch) return;
    const TorchModule module;
    torch_version_ = module.version();
    for (const TorchDecoder decoder : {TorchDecoder::opencv, TorchDecoder::stoker}) {
      enter(std::make_unique<TorchContender>(module, workload_, decoder));
    }
  }

  Entry& enter(std::unique_ptr<Contender> contender) {
    Measurement measurement = contender->describe();
    entries_.push_back({std::move(contender), std::move(measurement), {}});
    Entry& entry = entries_.back();
    for (int epoch = 0; epoch < options_.warmup; ++epoch) {
      bar_.label(fmt::format("{}: warm-up", entry.measurement.title));
      walk(entry, epoch);
    }
    return entry;
  }

  Repetition walk(Entry& entry, int epoch) {
    return entry.contender->run(static_cast<std::uint64_t>(epoch),
                                [this](std::uint64_t images) { bar_.advance(images); });
  }

  void take_turns(int round) {
    for (std::size_t turn = 0; turn < entries_.size(); ++turn) {
      Entry& entry = entries_[round % 2 == 0 ? turn : entries_.size() - 1 - turn];
      bar_.label(fmt::format("{}: repetition {} of {}", entry.measurement.title, round + 1,
                             options_.repetitions));
      entry.measurement.repetitions.push_back(walk(entry, options_.warmup + round));
      entry.stats.push_back(entry.contender->stats());
    }
  }

  /// Keeps the counters of the repetition that was nearest to the median.
  static Measurement finish(Entry& entry) {
    Measurement& measurement = entry.measurement;
    const double middle = measurement.images_per_second();
    const auto nearest =
        std::min_element(measurement.repetitions.begin(), measurement.repetitions.end(),
                         [middle](const Repetition& a, const Repetition& b) {
                           return std::abs(a.images_per_second() - middle) <
                                  std::abs(b.images_per_second() - middle);
                         });
    const auto index = static_cast<std::size_t>(nearest - measurement.repetitions.begin());
    measurement.stats = entry.stats[index];
    return std::move(measurement);
  }

  Workload& workload_;
  SuiteOptions options_;
  ProgressBar bar_;
  std::vector<Entry> entries_;
  std::string torch_version_;
};

}  // namespace

SuiteResult run_suite(Workload& workload, const SuiteOptions& options) {
  return Suite(workload, options).run();
}

}  // namespace stoker::bench
