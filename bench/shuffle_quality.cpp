// Prints how random BlockShuffle's orders are for several windows: the share of the pairs in a
// batch that come from the same shard, and how far a sample is moved, each over a full shuffle's.
#include "cli/numbers.hpp"
#include <stoker/stoker.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>
#include <vector>

namespace {

struct Options {
  std::uint64_t shards = 1024;
  std::uint64_t shard_size = 1000;
  std::uint64_t batch_size = 256;
  std::uint64_t epochs = 3;

  std::uint64_t size() const { return shards * shard_size; }
};

using Indices = std::vector<std::uint64_t>;

/// Mean share of a batch's pairs whose samples come from the same shard.
double pairs_of_one_shard(const Indices& order, const Options& options) {
  std::uint64_t same = 0;
  std::uint64_t pairs = 0;
  const std::uint64_t batch = options.batch_size;
  for (std::uint64_t first = 0; first + batch <= order.size(); first += batch) {
    std::unordered_map<std::uint64_t, std::uint64_t> seen;
    for (std::uint64_t i = first; i < first + batch; ++i) {
      same += seen[order[i] / options.shard_size]++;
    }
    pairs += batch * (batch - 1) / 2;
  }
  return static_cast<double>(same) / static_cast<double>(pairs);
}

/// Mean distance between a sample's position and its place in the row of shards: where it would be
/// read if its shard were read in sequence. Shards stand in the row by their samples' mean
/// position.
double mean_displacement(const Indices& order, const Options& options) {
  std::vector<double> middle(options.shards);
  for (std::size_t i = 0; i < order.size(); ++i) {
    middle[order[i] / options.shard_size] += static_cast<double>(i);
  }
  std::vector<std::uint64_t> row(options.shards);
  for (std::uint64_t shard = 0; shard < options.shards; ++shard) row[shard] = shard;
  std::ranges::sort(row, {}, [&](std::uint64_t shard) { return middle[shard]; });
  std::vector<std::uint64_t> start(options.shards);
  for (std::uint64_t k = 0; k < options.shards; ++k) start[row[k]] = k * options.shard_size;
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto place = start[order[i] / options.shard_size] + order[i] % options.shard_size;
    sum += std::abs(static_cast<double>(i) - static_cast<double>(place));
  }
  return sum / static_cast<double>(order.size());
}

struct Quality {
  double pairs = 0;
  double displacement = 0;
};

Quality measure(const stoker::Sampler& sampler, const Options& options) {
  Quality mean;
  for (std::uint64_t epoch = 0; epoch < options.epochs; ++epoch) {
    Indices order(sampler.size());
    sampler.order(42, epoch)->read(0, order);
    mean.pairs += pairs_of_one_shard(order, options) / static_cast<double>(options.epochs);
    mean.displacement += mean_displacement(order, options) / static_cast<double>(options.epochs);
  }
  return mean;
}

void print(const std::string& window, const Quality& quality, const Quality& full) {
  fmt::print("| {:>10} | {:8.5f} | {:8.2f} | {:12.0f} | {:8.4f} |\n", window, quality.pairs,
             quality.pairs / full.pairs, quality.displacement,
             quality.displacement / full.displacement);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("How random BlockShuffle's orders are");
  app.add_option("--shards", options.shards, "Number of shards")
      ->check(stoker::cli::whole_number<std::uint64_t>(1));
  app.add_option("--shard-size", options.shard_size, "Samples in each")
      ->check(stoker::cli::whole_number<std::uint64_t>(1));
  app.add_option("--batch-size", options.batch_size, "Samples in a batch")
      ->check(stoker::cli::whole_number<std::uint64_t>(2, 1 << 20));
  app.add_option("--epochs", options.epochs, "Epochs to average over")
      ->check(stoker::cli::whole_number<std::uint64_t>(1));
  CLI11_PARSE(app, argc, argv);

  const Quality full = measure(stoker::RandomSampler(options.size()), options);
  fmt::print("| window     | pairs    | / full   | displacement | / full   |\n");
  for (const double shards : {0.001, 1.0, 2.0, 4.0, 16.0, 64.0, 256.0}) {
    const auto window =
        std::max<std::uint64_t>(1, std::uint64_t(shards * static_cast<double>(options.shard_size)));
    const stoker::BlockShuffle sampler(options.size(), options.shard_size, window);
    print(fmt::format("{}", window), measure(sampler, options), full);
  }
  print("full", full, full);
}
