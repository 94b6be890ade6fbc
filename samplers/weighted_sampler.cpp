#include <stoker/samplers/weighted_sampler.hpp>

#include "samplers/alias_table.hpp"
#include "samplers/counted_numbers.hpp"
#include "samplers/stored_order.hpp"
#include "samplers/weighted_race.hpp"
#include "src/core/fingerprint.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace stoker {

class WeightedDraw {
 public:
  virtual ~WeightedDraw() = default;
  virtual std::shared_ptr<const Order> order(std::uint64_t num_samples, std::uint64_t seed,
                                             std::uint64_t epoch) const = 0;
};

namespace {

struct Sum {
  double total = 0;
  std::uint64_t positive = 0;
  double smallest = std::numeric_limits<double>::infinity();  ///< of the positive ones
  double largest = 0;
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

template <class Weight>
Sum checked_sum(std::span<const Weight> weights) {
  if (weights.empty()) throw Error(ErrorCode::empty_source, "there are no weights");
  if (weights.size() > std::numeric_limits<std::uint32_t>::max()) {
    refuse(fmt::format("there are {} weights; fewer than 2^32 can be drawn from", weights.size()));
  }
  Sum sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) {
      refuse(
          fmt::format("weight {} is {}; weights must be finite and not negative", i, weights[i]));
    }
    const auto weight = static_cast<double>(weights[i]);
    sum.total += weight;
    if (weight == 0) continue;
    ++sum.positive;
    sum.smallest = std::min(sum.smallest, weight);
    sum.largest = std::max(sum.largest, weight);
  }
  if (sum.positive == 0) refuse("all weights are zero");
  if (!std::isfinite(sum.total)) refuse("the weights' sum is beyond what a double holds");
  return sum;
}

void check_num_samples(std::uint64_t num_samples, bool replacement, std::uint64_t positive) {
  if (num_samples == 0) refuse("num_samples must be at least 1");
  if (replacement || num_samples <= positive) return;
  refuse(
      fmt::format("num_samples is {}, but without replacement only the {} samples with positive "
                  "weights can be drawn",
                  num_samples, positive));
}

class AliasOrder final : public Order {
 public:
  AliasOrder(std::shared_ptr<const AliasTable> table, std::uint64_t size,
             const CountedNumbers& numbers) noexcept
      : table_(std::move(table)), size_(size), numbers_(numbers) {}

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = table_->pick(numbers_.at(first + i * stride));
    }
  }

 private:
  std::shared_ptr<const AliasTable> table_;
  std::uint64_t size_;
  CountedNumbers numbers_;
};

class DrawWithReplacement final : public WeightedDraw {
 public:
  template <class Weight>
  DrawWithReplacement(std::span<const Weight> weights, double total)
      : table_(std::make_shared<const AliasTable>(weights, total)) {}

  std::shared_ptr<const Order> order(std::uint64_t num_samples, std::uint64_t seed,
                                     std::uint64_t epoch) const override {
    return std::make_shared<const AliasOrder>(
        table_, num_samples, CountedNumbers(seed, epoch, 0, Purpose::weighted_draw));
  }

 private:
  std::shared_ptr<const AliasTable> table_;
};

template <class Weight>
class DrawWithoutReplacement final : public WeightedDraw {
 public:
  explicit DrawWithoutReplacement(std::span<const Weight> weights)
      : weights_(weights.begin(), weights.end()) {}

  std::shared_ptr<const Order> order(std::uint64_t num_samples, std::uint64_t seed,
                                     std::uint64_t epoch) const override {
    auto order = std::make_shared<StoredOrder<std::uint32_t>>(num_samples);
    weighted_race(std::span(weights_), CountedNumbers(seed, epoch, 0, Purpose::weighted_key),
                  order->indices());
    return order;
  }

 private:
  std::vector<Weight> weights_;
};

template <class Weight>
std::shared_ptr<const WeightedDraw> make_draw(std::span<const Weight> weights,
                                              std::uint64_t num_samples, bool replacement) {
  const Sum sum = checked_sum(weights);
  check_num_samples(num_samples, replacement, sum.positive);
  if (replacement) return std::make_shared<const DrawWithReplacement>(weights, sum.total);
  // Beyond that the times of the smallest ones are no numbers any more, and not random.
  if (std::ilogb(sum.largest) - std::ilogb(sum.smallest) > 900) {
    refuse(fmt::format("weights from {} to {} are too far apart to draw without replacement",
                       sum.smallest, sum.largest));
  }
  return std::make_shared<const DrawWithoutReplacement<Weight>>(weights);
}

template <class Weight>
std::string text_of(std::span<const Weight> weights, std::uint64_t num_samples, bool replacement) {
  return fmt::format("weighted(size={}, weights={}, num_samples={}, replacement={})",
                     weights.size(), fingerprint_of(weights), num_samples, replacement);
}

}  // namespace

WeightedSampler::WeightedSampler(std::span<const double> weights, std::uint64_t num_samples,
                                 bool replacement)
    : num_samples_(num_samples),
      draw_(make_draw(weights, num_samples, replacement)),
      text_(text_of(weights, num_samples, replacement)) {}

WeightedSampler::WeightedSampler(std::span<const float> weights, std::uint64_t num_samples,
                                 bool replacement)
    : num_samples_(num_samples),
      draw_(make_draw(weights, num_samples, replacement)),
      text_(text_of(weights, num_samples, replacement)) {}

std::shared_ptr<const Order> WeightedSampler::order(std::uint64_t seed, std::uint64_t epoch) const {
  return draw_->order(num_samples_, seed, epoch);
}

std::string WeightedSampler::text() const { return text_; }

}  // namespace stoker
