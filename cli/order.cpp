#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include "cli/sha256.hpp"
#include <stoker/core/error.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

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

struct OrderOptions {
  std::uint64_t size = 0;
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::string sampler;
  bool shuffle = false;
  bool sha256 = false;
};

std::unique_ptr<Sampler> make_sampler(const OrderOptions& options) {
  if (options.shuffle && options.sampler == "sequential") {
    throw Error(ErrorCode::invalid_argument, "--shuffle contradicts --sampler sequential");
  }
  if (options.shuffle || options.sampler == "random") {
    return std::make_unique<RandomSampler>(options.size);
  }
  return std::make_unique<SequentialSampler>(options.size);
}

/// Calls `take` with the order's indices, some thousands at a time.
template <class Take>
void walk(const Order& order, Take take) {
  std::vector<std::uint64_t> chunk(4096);
  for (std::uint64_t first = 0; first < order.size(); first += chunk.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(chunk.size(), order.size() - first);
    const std::span<std::uint64_t> indices(chunk.data(), count);
    order.read(first, indices);
    take(indices);
  }
}

void print_digest(const Order& order) {
  Sha256 digest;
  std::vector<std::uint8_t> bytes;
  walk(order, [&](std::span<const std::uint64_t> indices) {
    bytes.clear();
    for (std::uint64_t index : indices) {
      for (int shift = 0; shift < 64; shift += 8) {
        bytes.push_back(static_cast<std::uint8_t>(index >> shift));
      }
    }
    digest.update(bytes);
  });
  fmt::print("{}\n", digest.finish());
}

void print_indices(const Order& order) {
  std::string lines;
  walk(order, [&](std::span<const std::uint64_t> indices) {
    lines.clear();
    std::array<char, 20> digits;
    for (std::uint64_t index : indices) {
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
      lines.append(digits.data(), end).push_back('\n');
    }
    std::fwrite(lines.data(), 1, lines.size(), stdout);
  });
}

void run_order(const OrderOptions& options) {
  const auto order = make_sampler(options)->order(options.seed, options.epoch);
  options.sha256 ? print_digest(*order) : print_indices(*order);
  if (std::fflush(stdout) != 0) throw Error(ErrorCode::io_error, "cannot write to stdout");
}

}  // namespace

void add_order(CLI::App& app) {
  auto options = std::make_shared<OrderOptions>();
  CLI::App* order = app.add_subcommand("order", "Print the order of an epoch, one index a line");
  order->add_option("--size", options->size, "Number of samples in the source")
      ->check(whole_number())
      ->required();
  order->add_flag("--shuffle", options->shuffle,
                  "torch.randperm's order for the seed plus the epoch");
  order->add_option("--seed", options->seed, "Seed")->check(whole_number())->capture_default_str();
  order->add_option("--epoch", options->epoch, "Epoch")
      ->check(whole_number())
      ->capture_default_str();
  order->add_option("--sampler", options->sampler, "sequential, or random as --shuffle says")
      ->check(CLI::IsMember({"sequential", "random"}));
  order->add_flag("--sha256", options->sha256,
                  "Print the SHA-256 of the order as little-endian int64 instead");
  order->footer(
      "Examples:\n"
      "  stoker order --size 10 --shuffle --seed 1\n"
      "  stoker order --size 1281167 --shuffle --seed 42 --epoch 3 --sha256");
  order->callback([options] { run_order(*options); });
}

}  // namespace stoker::cli
