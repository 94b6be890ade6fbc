#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include "cli/order_choice.hpp"
#include "cli/sha256.hpp"
#include <stoker/core/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace stoker::cli {
namespace {

void print_digest(IndexStream& order) {
  Sha256 digest;
  std::vector<std::uint64_t> indices;
  std::vector<std::uint8_t> bytes;
  while (order.next(indices)) {
    bytes.clear();
    for (std::uint64_t index : indices) {
      for (int shift = 0; shift < 64; shift += 8) {
        bytes.push_back(static_cast<std::uint8_t>(index >> shift));
      }
    }
    digest.update(bytes);
  }
  fmt::print("{}\n", digest.finish());
}

[[noreturn]] void throw_unwritten() { throw Error(ErrorCode::io_error, "cannot write to stdout"); }

void print_indices(IndexStream& order) {
  std::vector<std::uint64_t> indices;
  std::string lines;
  std::array<char, 20> digits;
  while (order.next(indices)) {
    lines.clear();
    for (std::uint64_t index : indices) {
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
      lines.append(digits.data(), end).push_back('\n');
    }
    if (order.is_of_batches()) lines.push_back('\n');
    if (std::fwrite(lines.data(), 1, lines.size(), stdout) != lines.size()) throw_unwritten();
  }
}

void run_order(const OrderOptions& options) {
  const auto order = chosen_order(options);
  options.sha256 ? print_digest(*order) : print_indices(*order);
  if (std::fflush(stdout) != 0) throw_unwritten();
}

template <class Value>
void add_number(CLI::App& order, const char* name, Value& value, const char* meaning) {
  order.add_option(name, value, meaning)->check(whole_number());
}

void add_order_options(CLI::App& order, OrderOptions& options) {
  add_number(order, "--size", options.size, "Number of samples in the source");
  order.add_flag("--shuffle", options.shuffle,
                 "torch.randperm's order for the seed plus the epoch");
  order.add_option("--seed", options.seed, "Seed")->check(whole_number())->capture_default_str();
  order.add_option("--epoch", options.epoch, "Epoch")->check(whole_number())->capture_default_str();
  order
      .add_option("--sampler", options.sampler,
                  "sequential, or random with --shuffle, unless another is named")
      ->check(CLI::IsMember(sampler_names()));
  order
      .add_option("--from", options.from,
                  "Begin at this place of the whole order (batch and bucket: of the batches), as "
                  "a run that was stopped there goes on")
      ->check(whole_number())
      ->capture_default_str();
  order.add_flag("--sha256", options.sha256,
                 "Print the SHA-256 of the order as little-endian int64 instead");
}

void add_rank_options(CLI::App& order, OrderOptions& options) {
  add_number(order, "--world-size", options.world_size,
             "Number of ranks: print what one of them gets, as torch's DistributedSampler says");
  add_number(order, "--rank", options.rank, "Which rank, 0 unless given");
  order.add_flag("--drop-last", options.drop_last,
                 "Leave out what does not divide among the ranks; else it is padded");
  order.add_flag("--uneven", options.uneven,
                 "Neither pad nor drop: each sample exactly once, for evaluation");
}

void add_sampler_options(CLI::App& order, OrderOptions& options) {
  const std::string list = " (1,2,3 or @FILE)";
  add_number(order, "--num-samples", options.num_samples,
             "random, weighted, mixture: length of an epoch");
  order.add_flag("--replacement", options.replacement, "random, weighted: draw with replacement");
  order.add_option("--indices", options.indices, "subset: the indices" + list);
  order.add_option("--weights", options.weights,
                   "weighted: a weight a sample; mixture: a weight a source" + list);
  order.add_option("--sizes", options.sizes, "mixture: samples in each source" + list);
  order.add_option("--lengths", options.lengths, "bucket: a length a sample" + list);
  order.add_option("--boundaries", options.boundaries,
                   "bucket: the lengths at which buckets begin, but the first" + list);
  add_number(order, "--batch-size", options.batch_size, "batch, bucket: samples in a batch");
  add_number(order, "--shard-size", options.shard_size, "block-shuffle: samples in a shard");
  add_number(order, "--window", options.window, "block-shuffle: samples shuffled together");
}

}  // namespace

void add_order(CLI::App& app) {
  auto options = std::make_shared<OrderOptions>();
  CLI::App* order = app.add_subcommand(
      "order",
      "Print the order of an epoch, one index a line (batches with an empty line between)");
  add_order_options(*order, *options);
  add_rank_options(*order, *options);
  add_sampler_options(*order, *options);
  order->footer(
      "Examples:\n"
      "  stoker order --size 10 --shuffle --seed 1\n"
      "  stoker order --size 1281167 --shuffle --seed 42 --epoch 3 --sha256\n"
      "  stoker order --size 10 --shuffle --world-size 4 --rank 1 --uneven\n"
      "  stoker order --size 10 --shuffle --world-size 2 --rank 1 --from 4\n"
      "  stoker order --sampler weighted --weights 1,5,0.5 --num-samples 20 --replacement\n"
      "  stoker order --sampler bucket --lengths @lengths.txt --boundaries 64,128 --batch-size 8");
  order->callback([options] { run_order(*options); });
}

}  // namespace stoker::cli
