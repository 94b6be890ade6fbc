#include "bench/measurement.hpp"

#include <algorithm>
#include <ctime>

namespace stoker::bench {
namespace {

template <class Figure>
double median_of(const std::vector<Repetition>& repetitions, Figure figure) {
  std::vector<double> values;
  for (const Repetition& repetition : repetitions) values.push_back(figure(repetition));
  return median(std::move(values));
}

}  // namespace

double Measurement::images_per_second() const {
  return median_of(repetitions, [](const Repetition& r) { return r.images_per_second(); });
}

double Measurement::first_batch_seconds() const {
  return median_of(repetitions, [](const Repetition& r) { return r.first_batch_seconds; });
}

double Measurement::cpu_seconds_per_image() const {
  return median_of(repetitions, [](const Repetition& r) {
    return r.cpu_seconds / static_cast<double>(r.images);
  });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double median_ratio(const Measurement& above, const Measurement& below,
                    double (*figure)(const Repetition&)) {
  std::vector<double> ratios;
  const std::size_t count = std::min(above.repetitions.size(), below.repetitions.size());
  for (std::size_t i = 0; i < count; ++i) {
    ratios.push_back(figure(above.repetitions[i]) / figure(below.repetitions[i]));
  }
  return median(std::move(ratios));
}

double cpu_seconds_now() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace stoker::bench
