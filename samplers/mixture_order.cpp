#include "samplers/mixture_order.hpp"

#include "samplers/counted_numbers.hpp"
#include "samplers/keyed_permutation.hpp"
#include "samplers/scaled.hpp"
#include <stoker/samplers/mixture_sampler.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace stoker {
namespace {

constexpr std::uint64_t block_size = MixtureSampler::block_size;

/// The order of a source's samples in one pass over it. A key has room for one stream, and there
/// are many sources and many passes, so that the pass makes the seed.
KeyedPermutation pass_over(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch,
                           std::uint64_t source, std::uint64_t pass) noexcept {
  const CountedNumbers numbers(seed, epoch, source, Purpose::pass_seed);
  const auto [first, second] = numbers.pair_at(pass);
  return {size, first, second, source};
}

/// Fisher-Yates, with a counted number for each step.
void shuffle(std::vector<std::size_t>& values, const CountedNumbers& numbers) noexcept {
  for (std::size_t left = values.size(); left > 1; --left) {
    const std::uint64_t number = numbers.pair_at(left / 2)[left % 2];
    std::swap(values[left - 1], values[scaled(number, left)]);
  }
}

}  // namespace

/// Reads an order and keeps what neighbouring positions share: the block, and each source's pass.
class MixtureOrder::Reader {
 public:
  explicit Reader(const MixtureOrder& order)
      : order_(order),
        before_(order.starts_.size() - 1),
        until_(before_.size()),
        passes_(before_.size()) {}

  std::uint64_t at(std::uint64_t position) {
    const std::uint64_t block = position / block_size;
    if (sources_.empty() || block != block_) enter(block);
    const std::uint64_t place = position % block_size;
    return sample(sources_[place], numbers_[place]);
  }

 private:
  struct Pass {
    std::uint64_t number;
    KeyedPermutation permutation;
  };

  void enter(std::uint64_t block) {
    const std::uint64_t first = block * block_size;
    order_.quotas_.counts(first, before_);
    order_.quotas_.counts(first + std::min(block_size, order_.size_ - first), until_);
    sources_.clear();
    for (std::size_t source = 0; source < before_.size(); ++source) {
      sources_.insert(sources_.end(), until_[source] - before_[source], source);
    }
    shuffle(sources_, CountedNumbers(order_.seed_, order_.epoch_, block, Purpose::mixture_block));
    numbers_.clear();
    for (const std::size_t source : sources_) numbers_.push_back(before_[source]++);
    block_ = block;
  }

  /// Returns a source's n-th sample in this epoch.
  std::uint64_t sample(std::size_t source, std::uint64_t n) {
    const std::uint64_t size = order_.starts_[source + 1] - order_.starts_[source];
    const std::uint64_t number = n / size;
    std::optional<Pass>& pass = passes_[source];
    if (!pass || pass->number != number) {
      pass = Pass{number, pass_over(size, order_.seed_, order_.epoch_, source, number)};
    }
    return order_.starts_[source] + pass->permutation(n % size);
  }

  const MixtureOrder& order_;
  std::uint64_t block_ = 0;
  std::vector<std::size_t> sources_;    // whose each place of the block is
  std::vector<std::uint64_t> numbers_;  // and which of its samples comes there
  std::vector<std::uint64_t> before_;
  std::vector<std::uint64_t> until_;
  std::vector<std::optional<Pass>> passes_;
};

MixtureOrder::MixtureOrder(std::span<const std::uint64_t> sizes, std::span<const double> weights,
                           std::uint64_t size, std::uint64_t seed, std::uint64_t epoch)
    : quotas_(weights), starts_{0}, size_(size), seed_(seed), epoch_(epoch) {
  for (const std::uint64_t samples : sizes) starts_.push_back(starts_.back() + samples);
}

void MixtureOrder::read(std::uint64_t first, std::uint64_t stride,
                        std::span<std::uint64_t> out) const {
  Reader reader(*this);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = reader.at(first + i * stride);
}

}  // namespace stoker
