#pragma once

#include <stoker/core/error.hpp>
#include <stoker/samplers/batch_sampler.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <type_traits>
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
    const std::uint64_t wanted = size_of(epoch);
    if (!order || order->size() != wanted) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("sampler {}: the order of epoch {} has size {}, the sampler's is {}",
                              sampler_->text(), epoch, order ? order->size() : 0, wanted));
    }
    next_ = {epoch, std::move(order)};
  }

 private:
  std::uint64_t size_of(std::uint64_t epoch) const {
    if constexpr (std::is_same_v<SamplerType, BatchSampler>) {
      return sampler_->size_of(epoch);
    } else {
      return sampler_->size();
    }
  }

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
