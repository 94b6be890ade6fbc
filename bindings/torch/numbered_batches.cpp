#include <stoker/torch/detail/numbered_batches.hpp>

#include <span>

namespace stoker::torch::detail {
namespace {

class NumberedOrder final : public BatchOrder {
 public:
  explicit NumberedOrder(std::uint64_t batches) : batches_(batches) {}
  std::uint64_t size() const override { return batches_; }
  std::uint64_t first(std::uint64_t batch) const override { return batch; }
  void read(std::uint64_t batch, std::span<std::uint64_t> out) const override { out[0] = batch; }

 private:
  std::uint64_t batches_;
};

}  // namespace

std::shared_ptr<const BatchOrder> NumberedBatches::order(std::uint64_t /*seed*/,
                                                         std::uint64_t /*epoch*/) const {
  return std::make_shared<NumberedOrder>(batches_);
}

}  // namespace stoker::torch::detail
