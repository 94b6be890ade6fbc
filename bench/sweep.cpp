#include "bench/sweep.hpp"

#include "bench/progress_bar.hpp"
#include "bench/stoker_contender.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stoker::bench {
namespace {

struct Knob {
  const char* name;
  void (*set)(Workload& workload, int value);
};

constexpr Knob knobs[] = {
    {"num_workers", [](Workload& w, int value) { w.num_workers = value; }},
    {"prefetch", [](Workload& w, int value) { w.prefetch = static_cast<std::size_t>(value); }},
    {"batch_size", [](Workload& w, int value) { w.batch_size = static_cast<std::size_t>(value); }},
    {"num_readers", [](Workload& w, int value) { w.num_readers = value; }},
};

[[noreturn]] void reject(const std::string& text) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--sweep {}: expected NAME=VALUE,VALUE with a NAME of num_workers, "
                          "prefetch, batch_size, num_readers, and whole numbers from 1",
                          text));
}

/// Returns the knob of that name, or null.
const Knob* knob(const std::string& name) {
  const auto* found = std::find_if(std::begin(knobs), std::end(knobs),
                                   [&](const Knob& candidate) { return candidate.name == name; });
  return found == std::end(knobs) ? nullptr : found;
}

void set(Workload& workload, const SweepVariable& variable, int value) {
  knob(variable.name)->set(workload, value);
}

std::vector<int> parse_values(const std::string& text, std::size_t from) {
  std::vector<int> values;
  const char* const end = text.data() + text.size();
  const char* at = text.data() + from;
  for (;;) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 1) reject(text);
    values.push_back(value);
    if (next == end) return values;
    if (*next != ',') reject(text);
    at = next + 1;
  }
}

/// A fresh loader a walk: loaders of all values side by side would share out the memory.
void measure(const Workload& base, const SweepVariable& variable, SweepPoint& point, int round,
             ProgressBar& bar) {
  bar.label(fmt::format("{}={}", variable.name, point.value));
  Workload workload = base;
  set(workload, variable, point.value);
  StokerContender contender(workload);
  point.measurement.num_workers = contender.num_workers();
  point.measurement.repetitions.push_back(contender.run(
      static_cast<std::uint64_t>(round), [&bar](std::uint64_t images) { bar.advance(images); }));
}

SweepResult run_sweep(const Workload& workload, const SweepVariable& variable, int repetitions,
                      ProgressBar& bar) {
  SweepResult result;
  result.variable = variable.name;
  for (const int value : variable.values) result.points.push_back({value, {}});
  for (int round = 0; round < repetitions; ++round) {
    for (SweepPoint& point : result.points) measure(workload, variable, point, round, bar);
    std::reverse(result.points.begin(), result.points.end());
  }
  std::sort(result.points.begin(), result.points.end(),
            [](const SweepPoint& a, const SweepPoint& b) { return a.value < b.value; });
  result.knee = knee_of(result.points);
  return result;
}

void warm_up(const Workload& workload, ProgressBar& bar) {
  bar.label("warm-up");
  StokerContender(workload).run(0, [&bar](std::uint64_t images) { bar.advance(images); });
}

}  // namespace

SweepVariable parse_sweep(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) reject(text);
  SweepVariable variable{text.substr(0, equals), parse_values(text, equals + 1)};
  if (knob(variable.name) == nullptr) reject(text);
  return variable;
}

int knee_of(const std::vector<SweepPoint>& points) {
  double best = 0;
  for (const SweepPoint& point : points) {
    best = std::max(best, point.measurement.images_per_second());
  }
  int knee = 0;
  for (const SweepPoint& point : points) {
    const bool good = point.measurement.images_per_second() >= best * (1 - knee_tolerance);
    if (good && (knee == 0 || point.value < knee)) knee = point.value;
  }
  return knee;
}

std::vector<SweepResult> run_sweeps(Workload& workload, const std::vector<SweepVariable>& variables,
                                    int repetitions) {
  if (variables.empty()) return {};
  std::uint64_t walks = 1;
  for (const SweepVariable& variable : variables) {
    walks += variable.values.size() * static_cast<std::uint64_t>(repetitions);
  }
  ProgressBar bar(walks * workload.epoch_size());
  warm_up(workload, bar);
  std::vector<SweepResult> results;
  for (const SweepVariable& variable : variables) {
    results.push_back(run_sweep(workload, variable, repetitions, bar));
    set(workload, variable, results.back().knee);
  }
  return results;
}

}  // namespace stoker::bench
