#include <stoker/samplers/random_sampler.hpp>

#include "samplers/randint.hpp"
#include "samplers/randperm.hpp"
#include "samplers/stored_order.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace stoker {
namespace {

/// Fills `order` with permutations of `size` indices, the last one cut off.
template <class Index>
void permute(std::span<Index> order, std::uint64_t size, Mt19937& generator) {
  const RandpermDraws draws = randperm_draws(size);
  for (; order.size() >= size; order = order.subspan(size)) {
    randperm(order.first(size), generator, draws);
    if (order.size() == size) return;
  }
  StoredOrder<Index> last(size);
  randperm(last.indices(), generator, draws);
  std::ranges::copy(last.indices().first(order.size()), order.begin());
}

}  // namespace

RandomSampler::RandomSampler(std::uint64_t size, const RandomOptions& options)
    : size_(size),
      num_samples_(options.num_samples.value_or(size)),
      replacement_(options.replacement) {
  if (size == 0) throw Error(ErrorCode::empty_source, "there are no samples to draw from");
  if (num_samples_ == 0) {
    throw Error(ErrorCode::invalid_argument, "num_samples must be at least 1");
  }
}

template <class Index>
std::shared_ptr<const Order> RandomSampler::stored_order(std::uint64_t seed) const {
  auto order = std::make_shared<StoredOrder<Index>>(num_samples_);
  Mt19937 generator = torch_generator(seed);
  if (replacement_) {
    randint(order->indices(), size_, generator, randint_draws(size_));
  } else if (size_ > 0) {
    permute(order->indices(), size_, generator);
  }
  return order;
}

std::shared_ptr<const Order> RandomSampler::order(std::uint64_t seed, std::uint64_t epoch) const {
  constexpr std::uint64_t most_in_32_bits = std::uint64_t{1} << 32;
  return size_ <= most_in_32_bits ? stored_order<std::uint32_t>(seed + epoch)
                                  : stored_order<std::uint64_t>(seed + epoch);
}

std::string RandomSampler::text() const {
  if (!replacement_ && num_samples_ == size_) return fmt::format("random(size={})", size_);
  return fmt::format("random(size={}, replacement={}, num_samples={})", size_, replacement_,
                     num_samples_);
}

}  // namespace stoker
