#include <stoker/samplers/mixture_sampler.hpp>

#include "samplers/check_size.hpp"
#include "samplers/mixture_order.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

namespace stoker {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

void check_sizes(const std::vector<std::uint64_t>& sizes) {
  if (sizes.empty()) throw Error(ErrorCode::empty_source, "there are no sources to mix");
  std::uint64_t sum = 0;
  for (std::size_t source = 0; source < sizes.size(); ++source) {
    if (sizes[source] == 0) {
      throw Error(ErrorCode::empty_source, fmt::format("source {} has no samples", source));
    }
    check_size(sizes[source]);
    check_size(sum += sizes[source]);
  }
}

void check_weights(const MixtureWeights& entry, std::size_t sources) {
  if (entry.weights.size() != sources) {
    refuse(fmt::format("there are {} weights from epoch {} on for {} sources", entry.weights.size(),
                       entry.from_epoch, sources));
  }
  bool positive = false;
  for (std::size_t i = 0; i < sources; ++i) {
    if (!std::isfinite(entry.weights[i]) || entry.weights[i] < 0) {
      refuse(
          fmt::format("the weight of source {} is {} from epoch {} on; weights must be finite and "
                      "not negative",
                      i, entry.weights[i], entry.from_epoch));
    }
    positive = positive || entry.weights[i] > 0;
  }
  if (!positive) refuse(fmt::format("all weights are zero from epoch {} on", entry.from_epoch));
}

void check_schedule(const std::vector<MixtureWeights>& schedule, std::size_t sources) {
  if (schedule.empty() || schedule.front().from_epoch != 0) {
    refuse("the schedule of weights must begin at epoch 0");
  }
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    check_weights(schedule[i], sources);
    if (i == 0 || schedule[i].from_epoch > schedule[i - 1].from_epoch) continue;
    refuse(fmt::format("the schedule's epochs must rise, but {} comes behind {}",
                       schedule[i].from_epoch, schedule[i - 1].from_epoch));
  }
}

const std::vector<double>& weights_at(const std::vector<MixtureWeights>& schedule,
                                      std::uint64_t epoch) {
  std::size_t i = schedule.size() - 1;
  while (schedule[i].from_epoch > epoch) --i;
  return schedule[i].weights;
}

}  // namespace

MixtureSampler::MixtureSampler(std::vector<std::uint64_t> sizes,
                               std::vector<MixtureWeights> schedule, std::uint64_t num_samples)
    : sizes_(std::move(sizes)), schedule_(std::move(schedule)), num_samples_(num_samples) {
  check_sizes(sizes_);
  check_schedule(schedule_, sizes_.size());
  if (num_samples == 0) refuse("num_samples must be at least 1");
  check_size(num_samples);
}

MixtureSampler::MixtureSampler(std::vector<std::uint64_t> sizes, std::vector<double> weights,
                               std::uint64_t num_samples)
    : MixtureSampler(std::move(sizes), std::vector<MixtureWeights>{{0, std::move(weights)}},
                     num_samples) {}

std::shared_ptr<const Order> MixtureSampler::order(std::uint64_t seed, std::uint64_t epoch) const {
  return std::make_shared<const MixtureOrder>(sizes_, weights_at(schedule_, epoch), num_samples_,
                                              seed, epoch);
}

std::string MixtureSampler::text() const {
  std::string schedule;
  for (const MixtureWeights& entry : schedule_) {
    schedule += fmt::format("{}{}: [{}]", schedule.empty() ? "" : ", ", entry.from_epoch,
                            fmt::join(entry.weights, ", "));
  }
  return fmt::format("mixture(sizes=[{}], weights={{{}}}, num_samples={})", fmt::join(sizes_, ", "),
                     schedule, num_samples_);
}

}  // namespace stoker
