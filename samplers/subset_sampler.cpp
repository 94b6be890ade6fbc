#include <stoker/samplers/subset_sampler.hpp>

#include "samplers/randperm.hpp"
#include "samplers/stored_order.hpp"
#include "src/core/fingerprint.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace stoker {
namespace {

template <class Index>
using Indices = std::shared_ptr<const std::vector<Index>>;

template <class Index>
class GivenOrder final : public Order {
 public:
  explicit GivenOrder(Indices<Index> indices) noexcept : indices_(std::move(indices)) {}

  std::uint64_t size() const override { return indices_->size(); }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*indices_)[first + i * stride];
  }

 private:
  Indices<Index> indices_;
};

template <class Index>
std::shared_ptr<const Order> shuffled(const std::vector<Index>& indices, std::uint64_t seed) {
  auto order = std::make_shared<StoredOrder<Index>>(indices.size());
  std::ranges::copy(indices, order->indices().begin());
  Mt19937 generator = torch_generator(seed);
  shuffle(order->indices(), generator, randperm_draws(indices.size()));
  return order;
}

template <class Index>
Indices<Index> copy_of(std::span<const std::uint64_t> indices) {
  std::vector<Index> copy(indices.size());
  std::ranges::transform(indices, copy.begin(),
                         [](std::uint64_t index) { return static_cast<Index>(index); });
  return std::make_shared<const std::vector<Index>>(std::move(copy));
}

}  // namespace

SubsetSampler::SubsetSampler(std::span<const std::uint64_t> indices, bool shuffle)
    : shuffle_(shuffle), fingerprint_(fingerprint_of(indices)) {
  if (indices.empty()) throw Error(ErrorCode::empty_source, "the subset has no indices");
  if (std::ranges::max(indices) <= std::numeric_limits<std::uint32_t>::max()) {
    indices_ = copy_of<std::uint32_t>(indices);
  } else {
    indices_ = copy_of<std::uint64_t>(indices);
  }
}

std::uint64_t SubsetSampler::size() const {
  return std::visit([](const auto& indices) -> std::uint64_t { return indices->size(); }, indices_);
}

std::shared_ptr<const Order> SubsetSampler::order(std::uint64_t seed, std::uint64_t epoch) const {
  return std::visit(
      [&]<class Index>(const Shared<Index>& indices) -> std::shared_ptr<const Order> {
        if (shuffle_) return shuffled(*indices, seed + epoch);
        return std::make_shared<const GivenOrder<Index>>(indices);
      },
      indices_);
}

std::string SubsetSampler::text() const {
  return fmt::format("subset(size={}, indices={}, shuffle={})", size(), fingerprint_, shuffle_);
}

}  // namespace stoker
