#include <stoker/samplers/random_sampler.hpp>

#include "samplers/randperm.hpp"
#include "samplers/stored_order.hpp"

#include <fmt/format.h>

namespace stoker {
namespace {

template <class Index>
std::shared_ptr<const Order> shuffled(std::uint64_t size, std::uint64_t seed) {
  auto order = std::make_shared<StoredOrder<Index>>(size);
  randperm(order->indices(), seed, randperm_draws(size));
  return order;
}

}  // namespace

std::shared_ptr<const Order> RandomSampler::order(std::uint64_t seed, std::uint64_t epoch) const {
  constexpr std::uint64_t most_in_32_bits = std::uint64_t{1} << 32;
  return size_ <= most_in_32_bits ? shuffled<std::uint32_t>(size_, seed + epoch)
                                  : shuffled<std::uint64_t>(size_, seed + epoch);
}

std::string RandomSampler::text() const { return fmt::format("random(size={})", size_); }

}  // namespace stoker
