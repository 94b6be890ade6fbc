#pragma once

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace stoker {

/// The orders of the epoch in work and of the next one, from a Sampler or a BatchSampler. One
/// thread at a time.
template <class SamplerType>
class EpochOrders {
 public:
  EpochOrders(std::shared_ptr<const SamplerType> sampler, std::uint64_t seed)
      : sampler_(std::move(sampler)), seed_(seed) {}

  const SamplerType& sampler() const noexcept { return *sampler_; }

  /// Returns an epoch's order. @throws what the sampler throws, and Error(invalid_argument) for
  /// none or one of another size.
  const auto& of(std::uint64_t epoch) {
    if (current_.order && current_.epoch == epoch) return *current_.order;
    prepare(epoch);
    current_ = std::exchange(next_, {});
    return *current_.order;
  }

  /// Builds an epoch's order ahead. @throws as above.
  void prepare(std::uint64_t epoch) {
    if (next_.order && next_.epoch == epoch) return;
    next_ = {};  // before another one takes memory
    OrderPtr order = sampler_->order(seed_, epoch);
    if (!order || order->size() != sampler_->size()) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("sampler {}: the order of epoch {} has size {}, the sampler's is {}",
                      sampler_->text(), epoch, order ? order->size() : 0, sampler_->size()));
    }
    next_ = {epoch, std::move(order)};
  }

 private:
  using OrderPtr = decltype(std::declval<const SamplerType&>().order(0, 0));
  struct EpochOrder {
    std::uint64_t epoch = 0;
    OrderPtr order;
  };

  std::shared_ptr<const SamplerType> sampler_;
  std::uint64_t seed_;
  EpochOrder current_, next_;
};

}  // namespace stoker
