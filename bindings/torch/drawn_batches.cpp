#include <stoker/core/error.hpp>
#include <stoker/torch/samplers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace stoker::torch {
namespace {

constexpr std::size_t most_kept = 2;  // the epoch in work and the one before it

/// Batches one behind the other.
class DrawnOrder final : public BatchOrder {
 public:
  explicit DrawnOrder(const std::vector<DrawnBatches::Indices>& batches) : firsts_{0} {
    for (const auto& batch : batches) {
      indices_.insert(indices_.end(), batch.begin(), batch.end());
      firsts_.push_back(indices_.size());
    }
  }

  std::uint64_t size() const override { return firsts_.size() - 1; }
  std::uint64_t first(std::uint64_t batch) const override { return firsts_[batch]; }
  void read(std::uint64_t batch, std::span<std::uint64_t> out) const override {
    std::copy_n(indices_.begin() + static_cast<std::ptrdiff_t>(firsts_[batch]), out.size(),
                out.begin());
  }

 private:
  std::vector<std::uint64_t> indices_;
  std::vector<std::uint64_t> firsts_;
};

std::shared_ptr<const BatchOrder> checked(const std::vector<DrawnBatches::Indices>& batches) {
  const auto empty = std::ranges::find_if(batches, [](const auto& batch) { return batch.empty(); });
  if (empty != batches.end()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("batch {} of the sampler has no indices", empty - batches.begin()));
  }
  return std::make_shared<DrawnOrder>(batches);
}

}  // namespace

DrawnBatches::DrawnBatches(Draw draw, std::size_t max_batch_size)
    : draw_(std::move(draw)), max_batch_size_(max_batch_size) {}

void DrawnBatches::draw(std::uint64_t epoch) const {
  const std::lock_guard lock(mutex_);
  static_cast<void>(drawn(epoch));
}

std::uint64_t DrawnBatches::size_of(std::uint64_t epoch) const {
  const std::lock_guard lock(mutex_);
  return drawn(epoch)->size();
}

std::shared_ptr<const BatchOrder> DrawnBatches::order(std::uint64_t /*seed*/,
                                                      std::uint64_t epoch) const {
  const std::lock_guard lock(mutex_);
  return drawn(epoch);
}

std::string DrawnBatches::text() const { return "drawn from a LibTorch sampler"; }

const std::shared_ptr<const BatchOrder>& DrawnBatches::drawn(std::uint64_t epoch) const {
  const auto found = std::ranges::find(kept_, epoch, &Epoch::number);
  if (found != kept_.end()) return found->order;
  std::shared_ptr<const BatchOrder> order = checked(draw_());
  if (kept_.size() == most_kept) kept_.erase(kept_.begin());
  kept_.push_back({epoch, std::move(order)});
  return kept_.back().order;
}

}  // namespace stoker::torch
