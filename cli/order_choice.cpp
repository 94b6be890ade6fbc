#include "cli/order_choice.hpp"

#include "cli/number_list.hpp"
#include <stoker/core/error.hpp>
#include <stoker/samplers/block_shuffle.hpp>
#include <stoker/samplers/bucket_batch_sampler.hpp>
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/samplers/fixed_batch_sampler.hpp>
#include <stoker/samplers/large_permutation.hpp>
#include <stoker/samplers/mixture_sampler.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/samplers/subset_sampler.hpp>
#include <stoker/samplers/weighted_sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace stoker::cli {
namespace {

using SamplerPtr = std::shared_ptr<const Sampler>;
using BatchSamplerPtr = std::shared_ptr<const BatchSampler>;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

template <class T>
const T& needed(const std::optional<T>& value, const char* option) {
  if (!value) refuse(fmt::format("{} is required", option));
  return *value;
}

const std::string& needed(const std::string& value, const char* option) {
  if (value.empty()) refuse(fmt::format("{} is required", option));
  return value;
}

std::uint64_t size_of(const OrderOptions& options) {
  const std::uint64_t size = needed(options.size, "--size");
  if (size == 0) throw Error(ErrorCode::empty_source, "a source of 0 samples has no order");
  return size;
}

/// What a list has must be as many as --size says, where that is given too.
void check_size(const OrderOptions& options, std::uint64_t count, const char* what) {
  if (!options.size || *options.size == count) return;
  refuse(fmt::format("--size is {}, but there are {} {}", *options.size, count, what));
}

SamplerPtr sequential(const OrderOptions& options) {
  if (options.shuffle) refuse("--shuffle contradicts --sampler sequential");
  return std::make_shared<SequentialSampler>(size_of(options));
}

SamplerPtr random(const OrderOptions& options) {
  return std::make_shared<RandomSampler>(
      size_of(options),
      RandomOptions{.replacement = options.replacement, .num_samples = options.num_samples});
}

SamplerPtr sequential_or_random(const OrderOptions& options) {
  return options.shuffle ? random(options) : sequential(options);
}

SamplerPtr subset(const OrderOptions& options) {
  const auto indices = whole_number_list("--indices", needed(options.indices, "--indices"));
  for (const std::uint64_t index : indices) {
    if (options.size && index >= *options.size) {
      refuse(fmt::format("--indices: {} is no index of {} samples", index, *options.size));
    }
  }
  return std::make_shared<SubsetSampler>(indices, options.shuffle);
}

SamplerPtr weighted(const OrderOptions& options) {
  const auto weights = number_list("--weights", needed(options.weights, "--weights"));
  check_size(options, weights.size(), "weights");
  return std::make_shared<WeightedSampler>(weights, options.num_samples.value_or(weights.size()),
                                           options.replacement);
}

SamplerPtr mixture(const OrderOptions& options) {
  const auto sizes = whole_number_list("--sizes", needed(options.sizes, "--sizes"));
  const auto weights = number_list("--weights", needed(options.weights, "--weights"));
  return std::make_shared<MixtureSampler>(sizes, weights,
                                          needed(options.num_samples, "--num-samples"));
}

SamplerPtr block_shuffle(const OrderOptions& options) {
  const std::uint64_t shard_size = needed(options.shard_size, "--shard-size");
  const std::uint64_t window = needed(options.window, "--window");
  return std::make_shared<BlockShuffle>(size_of(options), shard_size, window);
}

SamplerPtr large_permutation(const OrderOptions& options) {
  return std::make_shared<LargePermutation>(size_of(options));
}

BatchSamplerPtr batch(const OrderOptions& options) {
  return std::make_shared<FixedBatchSampler>(sequential_or_random(options),
                                             needed(options.batch_size, "--batch-size"));
}

BatchSamplerPtr bucket(const OrderOptions& options) {
  const auto lengths = whole_number_list("--lengths", needed(options.lengths, "--lengths"));
  check_size(options, lengths.size(), "lengths");
  return std::make_shared<BucketBatchSampler>(
      lengths, whole_number_list("--boundaries", needed(options.boundaries, "--boundaries")),
      BucketOptions{.batch_sizes = {needed(options.batch_size, "--batch-size")},
                    .shuffle = options.shuffle});
}

template <class Result>
struct Choice {
  std::string_view name;
  Result (*make)(const OrderOptions&);
};

constexpr std::array samplers{Choice<SamplerPtr>{"sequential", sequential},
                              Choice<SamplerPtr>{"random", random},
                              Choice<SamplerPtr>{"distributed", sequential_or_random},
                              Choice<SamplerPtr>{"subset", subset},
                              Choice<SamplerPtr>{"weighted", weighted},
                              Choice<SamplerPtr>{"mixture", mixture},
                              Choice<SamplerPtr>{"block-shuffle", block_shuffle},
                              Choice<SamplerPtr>{"large-permutation", large_permutation}};
constexpr std::array batch_samplers{Choice<BatchSamplerPtr>{"batch", batch},
                                    Choice<BatchSamplerPtr>{"bucket", bucket}};

RankSplit split_of(const OrderOptions& options) {
  if (options.rank && !options.world_size) refuse("--rank needs --world-size");
  if (options.drop_last && options.uneven) refuse("--drop-last contradicts --uneven");
  if (options.sampler == "distributed") needed(options.world_size, "--world-size");
  RankSplit split{options.rank.value_or(0), options.world_size.value_or(1), Remainder::pad};
  if (options.drop_last) split.remainder = Remainder::drop;
  if (options.uneven) split.remainder = Remainder::uneven;
  split.check();
  return split;
}

void check_from(std::uint64_t from, std::uint64_t size, const char* places) {
  if (from <= size) return;
  refuse(fmt::format("--from is {}, but the epoch has {} {}", from, size, places));
}

std::shared_ptr<const Order> samples(const SamplerPtr& sampler, const OrderOptions& options,
                                     const RankSplit& split) {
  check_from(options.from, sampler->size(), "samples");
  return DistributedSampler(sampler, split).order_from(options.seed, options.epoch, options.from);
}

/// A rank's batches, one behind the other.
class BatchLine final : public Order {
 public:
  BatchLine(const BatchOrder& batches, const RankSplit& split, std::uint64_t from) {
    const std::uint64_t count = split.count(batches.size(), from);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t batch = split.position(from, i) % batches.size();
      const std::size_t first = indices_.size();
      indices_.resize(first + (batches.first(batch + 1) - batches.first(batch)));
      batches.read(batch, std::span(indices_).subspan(first));
    }
  }

  std::uint64_t size() const override { return indices_.size(); }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    for (std::uint64_t& index : out) index = indices_[std::exchange(first, first + stride)];
  }

 private:
  std::vector<std::uint64_t> indices_;
};

std::shared_ptr<const Order> batches(const BatchSampler& sampler, const OrderOptions& options,
                                     const RankSplit& split) {
  check_from(options.from, sampler.size(), "batches");
  return std::make_shared<BatchLine>(*sampler.order(options.seed, options.epoch), split,
                                     options.from);
}

}  // namespace

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const auto& choice : samplers) names.emplace_back(choice.name);
  for (const auto& choice : batch_samplers) names.emplace_back(choice.name);
  return names;
}

std::shared_ptr<const Order> chosen_order(const OrderOptions& options) {
  const RankSplit split = split_of(options);
  for (const auto& choice : batch_samplers) {
    if (choice.name == options.sampler) return batches(*choice.make(options), options, split);
  }
  for (const auto& choice : samplers) {
    if (choice.name == options.sampler) return samples(choice.make(options), options, split);
  }
  return samples(sequential_or_random(options), options, split);
}

}  // namespace stoker::cli
