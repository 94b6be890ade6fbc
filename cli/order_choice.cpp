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
#include <numeric>
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
  check_size(options, std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}),
             "samples in all sources");
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

/// A batch is printed at once.
std::size_t batch_size_of(const OrderOptions& options) {
  constexpr std::uint64_t most = std::uint64_t{1} << 24;
  const std::uint64_t size = needed(options.batch_size, "--batch-size");
  if (size > most) refuse(fmt::format("--batch-size is {}, it may be {}", size, most));
  return static_cast<std::size_t>(size);
}

BatchSamplerPtr batch(const OrderOptions& options) {
  return std::make_shared<FixedBatchSampler>(sequential_or_random(options), batch_size_of(options));
}

BatchSamplerPtr bucket(const OrderOptions& options) {
  const auto lengths = whole_number_list("--lengths", needed(options.lengths, "--lengths"));
  check_size(options, lengths.size(), "lengths");
  return std::make_shared<BucketBatchSampler>(
      lengths, whole_number_list("--boundaries", needed(options.boundaries, "--boundaries")),
      BucketOptions{.batch_sizes = {batch_size_of(options)}, .shuffle = options.shuffle});
}

/// Options of some samplers only.
enum SamplerOption : unsigned {
  num_samples = 1,
  replacement = 2,
  indices = 4,
  weights = 8,
  sizes = 16,
  lengths = 32,
  boundaries = 64,
  batch_size = 128,
  shard_size = 256,
  window = 512,
  shuffle = 1024,
};

struct NamedOption {
  SamplerOption option;
  const char* name;
};

std::vector<NamedOption> given(const OrderOptions& options) {
  std::vector<NamedOption> found;
  const auto add = [&found](bool is_given, SamplerOption option, const char* name) {
    if (is_given) found.push_back({option, name});
  };
  add(options.num_samples.has_value(), num_samples, "--num-samples");
  add(options.replacement, replacement, "--replacement");
  add(!options.indices.empty(), indices, "--indices");
  add(!options.weights.empty(), weights, "--weights");
  add(!options.sizes.empty(), sizes, "--sizes");
  add(!options.lengths.empty(), lengths, "--lengths");
  add(!options.boundaries.empty(), boundaries, "--boundaries");
  add(options.batch_size.has_value(), batch_size, "--batch-size");
  add(options.shard_size.has_value(), shard_size, "--shard-size");
  add(options.window.has_value(), window, "--window");
  add(options.shuffle, shuffle, "--shuffle");
  return found;
}

/// An option that would be left unnoticed is a mistake.
void check_options(const OrderOptions& options, std::string_view sampler, unsigned taken) {
  for (const NamedOption& option : given(options)) {
    if ((option.option & taken) != 0) continue;
    refuse(fmt::format("{} has no meaning for the sampler {}", option.name, sampler));
  }
}

template <class Result>
struct Choice {
  std::string_view name;
  Result (*make)(const OrderOptions&);
  unsigned options;
};

constexpr std::array samplers{
    Choice<SamplerPtr>{"sequential", sequential, shuffle},
    Choice<SamplerPtr>{"random", random, shuffle | replacement | num_samples},
    Choice<SamplerPtr>{"distributed", sequential_or_random, shuffle},
    Choice<SamplerPtr>{"subset", subset, shuffle | indices},
    Choice<SamplerPtr>{"weighted", weighted, weights | replacement | num_samples},
    Choice<SamplerPtr>{"mixture", mixture, sizes | weights | num_samples},
    Choice<SamplerPtr>{"block-shuffle", block_shuffle, shard_size | window | shuffle},
    Choice<SamplerPtr>{"large-permutation", large_permutation, shuffle}};
constexpr std::array batch_samplers{
    Choice<BatchSamplerPtr>{"batch", batch, shuffle | batch_size},
    Choice<BatchSamplerPtr>{"bucket", bucket, shuffle | lengths | boundaries | batch_size}};

RankSplit split_of(const OrderOptions& options) {
  if (!options.world_size) {
    if (options.rank) refuse("--rank needs --world-size");
    if (options.drop_last) refuse("--drop-last needs --world-size: it is about ranks");
    if (options.uneven) refuse("--uneven needs --world-size: it is about ranks");
  }
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

std::unique_ptr<IndexStream> stream(const SamplerPtr& sampler, const OrderOptions& options,
                                    const RankSplit& split) {
  check_from(options.from, sampler->size(), "samples");
  return stream_of_samples(
      DistributedSampler(sampler, split).order_from(options.seed, options.epoch, options.from));
}

std::unique_ptr<IndexStream> stream(const BatchSamplerPtr& sampler, const OrderOptions& options,
                                    const RankSplit& split) {
  check_from(options.from, sampler->size(), "batches");
  return stream_of_batches(sampler->order(options.seed, options.epoch), split, options.from);
}

/// Looks the sampler up among some; null where it is not one of them.
template <class Choices>
std::unique_ptr<IndexStream> chosen_among(const Choices& choices, std::string_view name,
                                          const OrderOptions& options, const RankSplit& split) {
  for (const auto& choice : choices) {
    if (choice.name != name) continue;
    check_options(options, name, choice.options);
    return stream(choice.make(options), options, split);
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const auto& choice : samplers) names.emplace_back(choice.name);
  for (const auto& choice : batch_samplers) names.emplace_back(choice.name);
  return names;
}

std::unique_ptr<IndexStream> chosen_order(const OrderOptions& options) {
  const RankSplit split = split_of(options);
  std::string_view name = options.sampler;
  if (name.empty()) name = options.shuffle ? "random" : "sequential";
  if (auto order = chosen_among(batch_samplers, name, options, split)) return order;
  return chosen_among(samplers, name, options, split);
}

}  // namespace stoker::cli
