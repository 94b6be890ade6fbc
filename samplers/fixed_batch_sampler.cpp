#include <stoker/samplers/fixed_batch_sampler.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stoker {
namespace {

class FixedBatchOrder final : public BatchOrder {
 public:
  FixedBatchOrder(std::shared_ptr<const Order> order, std::uint64_t batches,
                  std::size_t batch_size) noexcept
      : order_(std::move(order)), batches_(batches), batch_size_(batch_size) {}

  std::uint64_t size() const override { return batches_; }
  std::uint64_t first(std::uint64_t batch) const override {
    const std::uint64_t size = order_->size();
    return batch <= size / batch_size_ ? batch * batch_size_ : size;
  }
  void read(std::uint64_t batch, std::span<std::uint64_t> out) const override {
    order_->read(first(batch), out);
  }

 private:
  std::shared_ptr<const Order> order_;
  std::uint64_t batches_;
  std::uint64_t batch_size_;
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace

FixedBatchSampler::FixedBatchSampler(std::shared_ptr<const Sampler> sampler, std::size_t batch_size,
                                     bool drop_last)
    : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
  if (!sampler_) refuse("there is no sampler to make batches of");
  if (sampler_->as_distributed() != nullptr) {
    refuse("batches are made before they are split among ranks, not of one rank's share: " +
           sampler_->text());
  }
  if (batch_size == 0) refuse("batch_size must be at least 1");
  if (sampler_->size() == 0) throw Error(ErrorCode::empty_source, "the sampler has no samples");
  if (size() > 0) return;
  refuse(fmt::format("drop_last leaves no batch: {} samples are less than a batch_size of {}",
                     sampler_->size(), batch_size));
}

std::uint64_t FixedBatchSampler::size() const {
  const std::uint64_t full = sampler_->size() / batch_size_;
  return full + (!drop_last_ && sampler_->size() % batch_size_ > 0 ? 1 : 0);
}

std::size_t FixedBatchSampler::max_batch_size() const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(batch_size_, sampler_->size()));
}

std::shared_ptr<const BatchOrder> FixedBatchSampler::order(std::uint64_t seed,
                                                           std::uint64_t epoch) const {
  return std::make_shared<const FixedBatchOrder>(sampler_->order(seed, epoch), size(), batch_size_);
}

std::string FixedBatchSampler::text() const {
  return fmt::format("batches({}, batch_size={}, drop_last={})", sampler_->text(), batch_size_,
                     drop_last_);
}

}  // namespace stoker
